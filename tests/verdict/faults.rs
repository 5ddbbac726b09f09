//! No sum fails because something went wrong with the consumer: only because evidence is missing.

use std::time::Duration;

use lab::verdict::Verdict;
use lab::worker::GuardName;

use crate::bench::{broken, run, setup};

/// The calls that a guard makes.
pub(crate) fn calls(guard: GuardName) -> &'static [&'static str] {
    match guard {
        GuardName::None | GuardName::Memory => &["charge"],
        GuardName::IfExists => &["read", "charge", "claim"],
        GuardName::MessageId | GuardName::BodyHash | GuardName::Claim => {
            &["claim", "charge", "complete"]
        }
        GuardName::ClaimRelease
        | GuardName::Lease
        | GuardName::FencedLease
        | GuardName::KeyedCharge => &["claim", "charge", "complete", "release"],
        GuardName::Transaction => &["transact"],
    }
}

/// Every fault at a call of the consumer.
pub(crate) fn faults(call: &str) -> [String; 10] {
    [
        format!("crash@{call}:before"),
        format!("crash@{call}:after"),
        format!("throttle@{call}"),
        format!("fail@{call}"),
        format!("lose-answer@{call}"),
        format!("no-answer@{call}:before"),
        format!("no-answer@{call}:after"),
        format!("delay=3s@{call}"),
        format!("delay=9s@{call}:after"),
        format!("delay=2m@{call}"),
    ]
}

#[test]
fn the_sums_meet_under_every_guard_whatever_goes_wrong() {
    // Copies, batch size, whether failures are reported, at which call.
    let mut shapes = [
        (1, 1, true, "#1"),
        (3, 1, false, "#2"),
        (4, 3, true, "#1"),
        (3, 1, true, "#2"),
        (4, 3, false, "#1"),
    ]
    .into_iter()
    .cycle();
    for guard in GuardName::ALL {
        for rule in calls(guard).iter().flat_map(|call| faults(call)) {
            let (copies, batch_size, partial, number) = shapes.next().expect("a cycle");
            let mut setup = setup(guard, copies);
            setup.faults = vec![format!("{rule}{number}")];
            (setup.batch_size, setup.partial) = (batch_size, partial);
            setup.timeout = Duration::from_secs(20);
            let judgement = run(&setup).judged();
            assert_eq!(
                broken(&judgement),
                Vec::<String>::new(),
                "{guard}, {:?}, {copies} copies in batches of {batch_size}",
                setup.faults
            );
            assert_ne!(judgement.verdict, Verdict::Incomplete);
        }
    }
}

#[test]
fn the_sums_meet_when_the_queue_loses_answers_and_deletes_fail() {
    let faults = [
        "lose-answer@send",
        "no-answer@send:after",
        "lose-answer@receive",
        "no-answer@receive:after",
        "fail@delete",
        "no-answer@delete:after",
        "lose-answer@delete",
        "throttle@receive",
    ];
    for guard in GuardName::ALL {
        for fault in faults {
            let mut setup = setup(guard, 3);
            setup.faults = vec![fault.to_owned()];
            let judgement = run(&setup).judged();
            assert_eq!(broken(&judgement), Vec::<String>::new(), "{guard}, {fault}");
        }
    }
}

#[test]
fn the_sums_meet_when_every_delivery_fails_up_to_the_dead_letter_queue() {
    for guard in GuardName::ALL {
        for (batch_size, partial) in [(1, true), (1, false), (3, true), (3, false)] {
            for fault in [
                "crash@charge:after#*",
                "crash@charge:before#*",
                "fail@charge#*",
                "crash@transact:after#*",
                "throttle@claim#*",
            ] {
                let mut setup = setup(guard, 3);
                setup.faults = vec![fault.to_owned()];
                (setup.batch_size, setup.partial) = (batch_size, partial);
                let judgement = run(&setup).judged();
                assert_eq!(
                    broken(&judgement),
                    Vec::<String>::new(),
                    "{guard}, {fault}, batches of {batch_size}"
                );
            }
        }
    }
}
