//! What the wire's history says of a run, in the words of those who judge it.

use std::collections::HashSet;

use crate::cloud::wire::{
    Action, Answer, Call, CallerId, FaultRule, Moment, Operation, Outcome, Wire,
};
use crate::verdict::{Usage, Witness};

/// Counts the calls of a run.
#[derive(Default)]
struct Counter {
    usage: Usage,
    witness: Witness,
    /// The receive that was counted last; all messages of one receive have its number.
    last_receive: Option<u32>,
    /// Puts that were applied and whose answer was lost, so that another try follows.
    unanswered_puts: HashSet<(Operation, u32)>,
}

/// Counts the calls of a run in which `invocations` ran: what they cost, and what they bear witness
/// to.
pub fn witness(wire: &Wire, invocations: u32) -> (Usage, Witness) {
    let mut counter = Counter::default();
    wire.history().visit(|call| counter.count(call));
    let Counter { usage, witness, .. } = counter;
    let delayed = |calls: &[Operation]| delayed_answers(wire, calls);
    let witness = Witness {
        invocations: u64::from(invocations),
        puts_delayed: delayed(&[Operation::PutItem, Operation::TransactWriteItems]),
        charges_delayed: delayed(&[Operation::Charge]),
        ..witness
    };
    (usage, witness)
}

/// Answers to some calls that a rule held up on their way back.
fn delayed_answers(wire: &Wire, calls: &[Operation]) -> u64 {
    let delays = |rule: &FaultRule| {
        matches!(rule.action(), Action::Delay(_))
            && rule.point().moment == Moment::After
            && calls.contains(&rule.point().call)
    };
    let fired = wire.fired().into_iter();
    fired
        .filter(|(rule, _)| delays(rule))
        .map(|(_, fired)| fired)
        .sum()
}

impl Counter {
    fn count(&mut self, call: &Call) {
        let by_consumer = matches!(call.caller, CallerId::Invocation(_));
        let reached = matches!(call.outcome, Outcome::Applied | Outcome::Refused);
        match call.operation {
            Operation::PutItem | Operation::TransactWriteItems if by_consumer && reached => {
                self.count_write(call);
                self.count_put(call);
            }
            Operation::UpdateItem | Operation::DeleteItem if by_consumer && reached => {
                self.count_write(call);
            }
            Operation::GetItem if by_consumer && reached => self.usage.reads += 1,
            Operation::Charge if call.outcome == Outcome::Applied => match call.answer {
                Answer::Arrived => self.witness.charges_answered += 1,
                _ => self.witness.charges_unanswered += 1,
            },
            Operation::SendMessage if call.outcome == Outcome::Applied => {
                self.usage.sends += 1;
                if call.answer != Answer::Arrived {
                    self.witness.sends_unanswered += 1;
                }
            }
            Operation::ReceiveMessage => self.count_receive(call),
            Operation::DeleteMessage if reached => self.usage.deletes += 1,
            Operation::ChangeMessageVisibility if reached => self.usage.visibility_changes += 1,
            _ => {}
        }
    }

    fn count_write(&mut self, call: &Call) {
        let usage = &mut self.usage;
        let transaction = call.operation == Operation::TransactWriteItems;
        *match (transaction, call.outcome) {
            (false, Outcome::Refused) => &mut usage.refused_writes,
            (false, _) => &mut usage.writes,
            (true, Outcome::Refused) => &mut usage.refused_transactions,
            (true, _) => &mut usage.transactions,
        } += 1;
    }

    fn count_put(&mut self, call: &Call) {
        let try_of = (call.operation, call.occurrence);
        match (call.outcome, call.answer) {
            (Outcome::Applied, Answer::Arrived) => self.witness.puts_granted += 1,
            (Outcome::Applied, Answer::Lost) => {
                self.unanswered_puts.insert(try_of);
            }
            (Outcome::Refused, Answer::Arrived) if self.unanswered_puts.contains(&try_of) => {
                self.witness.puts_met_themselves += 1;
            }
            _ => {}
        }
    }

    fn count_receive(&mut self, call: &Call) {
        if self.last_receive.replace(call.occurrence) == Some(call.occurrence) {
            return;
        }
        match call.outcome {
            Outcome::Applied => self.usage.receives += 1,
            Outcome::Empty => self.usage.empty_receives += 1,
            _ => {}
        }
    }
}
