//! Controls: before anything is judged, a consumer that is known to be bad and one that is known
//! to be good show that the harness can tell them apart.

use std::fmt::Write;

use super::knobs::TableKind;
use super::plan::{Plan, PlannedArm};
use super::runner::{Silent, run};
use crate::failure::{Failure, exit};
use crate::order::Order;
use crate::report::JudgedRun;
use crate::verdict::Verdict;
use crate::worker::GuardName;

/// Copies of the order in each control.
const COPIES: u64 = 4;

/// Runs both controls on the embedded cloud.
///
/// # Errors
/// A [`Failure`] with [`exit::CONTROLS`] that says what came out, if it is not DOUBLE for the
/// known-bad and PASS for the known-good consumer.
pub fn check_controls(table: TableKind) -> Result<(), Failure> {
    let plan = plan(table);
    judge(&run(&plan, &Silent)?)
}

fn plan(table: TableKind) -> Plan {
    let control = |name: &str, guard, expected| {
        let order = Order {
            order_id: "CONTROL".parse().expect("a valid id"),
            customer_id: "CONTROL".to_owned(),
            amount: "1.00".parse().expect("a valid amount"),
        };
        let mut arm = PlannedArm::one_send(name, name, guard, order, COPIES, expected);
        arm.knobs.table = table;
        arm
    };
    Plan {
        name: "controls".to_owned(),
        title: "can the harness tell a bad consumer from a good one?".to_owned(),
        learn: String::new(),
        seed: 1,
        arms: vec![
            control("known-bad", GuardName::None, Verdict::Double),
            control("known-good", GuardName::KeyedCharge, Verdict::Pass),
        ],
    }
}

fn judge(runs: &[JudgedRun]) -> Result<(), Failure> {
    if runs.len() == 2 && runs.iter().all(JudgedRun::as_expected) {
        return Ok(());
    }
    let mut message = "the harness's own controls failed, so that nothing was judged".to_owned();
    for run in runs {
        write!(
            message,
            "\n  {} (`{}`): {} instead of {}: {}",
            run.arm,
            run.record.guard,
            run.judgement.verdict,
            run.expected.unwrap_or(Verdict::Pass),
            run.judgement.reason
        )
        .expect("writing into a string cannot fail");
    }
    Err(Failure::new(exit::CONTROLS, message)
        .hint("the harness is at fault, not a consumer: please report it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The controls on a harness that was broken.
    fn on_broken(break_it: impl Fn(&mut PlannedArm)) -> Result<(), Failure> {
        let mut plan = plan(TableKind::Memory);
        plan.arms.iter_mut().for_each(break_it);
        judge(&run(&plan, &Silent).expect("it runs"))
    }

    #[test]
    fn a_sound_harness_tells_them_apart_on_either_table() {
        assert_eq!(check_controls(TableKind::Memory), Ok(()));
        assert_eq!(check_controls(TableKind::Dynoxide), Ok(()));
    }

    #[test]
    fn a_harness_that_delivers_one_copy_only_is_found_out() {
        let failure = on_broken(|arm| {
            for step in &mut arm.steps {
                if let super::super::plan::StepAction::Send(send) = &mut step.action {
                    send.copies = 1;
                }
            }
        })
        .expect_err("nothing was put to the test");
        assert_eq!(failure.exit_code, exit::CONTROLS);
        assert!(
            failure
                .message
                .contains("known-bad (`none`): INCONCLUSIVE instead of DOUBLE"),
            "{failure}"
        );
        assert!(
            failure
                .message
                .contains("known-good (`keyed-charge`): INCONCLUSIVE instead of PASS"),
            "{failure}"
        );
    }

    #[test]
    fn a_harness_that_ignores_the_switch_is_found_out() {
        let guarded = on_broken(|arm| arm.guard = GuardName::KeyedCharge);
        let failure = guarded.expect_err("the bad one looks good");
        assert!(
            failure.message.contains("PASS instead of DOUBLE"),
            "{failure}"
        );
        let unguarded = on_broken(|arm| arm.guard = GuardName::None);
        let failure = unguarded.expect_err("the good one looks bad");
        assert!(
            failure.message.contains("DOUBLE instead of PASS"),
            "{failure}"
        );
    }

    #[test]
    fn a_harness_that_reaches_nobody_is_found_out() {
        let off = on_broken(|arm| {
            arm.knobs.function.reserved_concurrency = Some(0);
            arm.knobs.visibility_timeout = arm.knobs.function_timeout;
        });
        let failure = off.expect_err("nobody was charged");
        assert_eq!(failure.exit_code, exit::CONTROLS);
    }
}
