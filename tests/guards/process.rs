//! What a process knows, and what is gone with it.

use std::time::Duration;

use lab::worker::{Function, GuardName, InvokeOutcome};

use crate::bench::{Bench, CHARGED, SKIPPED, Setup, answered, message, sqs_event};
use crate::faults::{Call, Fault};

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn one_process_after_the_other_event_remembers() {
    let bench = Bench::new(GuardName::Memory);
    for n in 1..=10 {
        bench.deliver(&message(&format!("m-{n}"))).await;
    }
    assert_eq!(bench.charges().await, 1);
    assert_eq!(bench.environments_and_processes().await, (1, 1));
    assert_eq!(bench.events(&message("m-10")).await, SKIPPED);
}

#[tokio::test(start_paused = true)]
async fn environments_that_run_at_once_do_not_share_what_they_know() {
    let bench = Bench::new(GuardName::Memory);
    let (first, second) = (message("m-1"), message("m-2"));
    tokio::join!(bench.at(Duration::ZERO, &first), bench.at(SECOND, &second));
    assert_eq!(bench.environments_and_processes().await, (2, 2));
    assert_eq!(bench.charges().await, 2);
    // Each of the two knows the order by now.
    let (third, fourth) = (message("m-3"), message("m-4"));
    tokio::join!(bench.deliver(&third), bench.deliver(&fourth));
    assert_eq!(bench.events(&third).await, SKIPPED);
    assert_eq!(bench.events(&fourth).await, SKIPPED);
    assert_eq!(bench.charges().await, 2);
}

#[tokio::test(start_paused = true)]
async fn another_function_does_not_know_either() {
    for (guard, charges) in [(GuardName::Memory, 2), (GuardName::Claim, 1)] {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        let other = bench.host_ahead(Duration::ZERO);
        let outcome = other.invoke(&sqs_event(&[message("m-2")])).await;
        assert_eq!(outcome, answered(&[]), "{guard}");
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_dies_takes_its_memory_with_it() {
    for (guard, charges) in [(GuardName::Memory, 3), (GuardName::BodyHash, 2)] {
        let bench = Bench::new(guard);
        bench.deliver(&message("m-1")).await;
        // Another order, of another body, ends the process.
        let other = r#"{"orderId":"ORDER-004","customerId":"C","amount":1}"#;
        bench.arm(Call::Charge, 2, Fault::KillAfter);
        let outcome = bench.deliver(&message("m-2").with_body(other)).await;
        assert!(matches!(outcome, InvokeOutcome::Failed { .. }), "{guard}");
        bench.deliver(&message("m-1").again(2)).await;
        assert_eq!(bench.environments_and_processes().await, (1, 2), "{guard}");
        assert_eq!(bench.charges().await, charges, "{guard}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_function_timeout_takes_the_memory_as_well() {
    let bench = Bench::new(GuardName::Memory);
    bench.deliver(&message("m-1")).await;
    bench.arm(Call::Charge, 2, Fault::Delayed(60 * SECOND));
    let other = r#"{"orderId":"ORDER-004","customerId":"C","amount":1}"#;
    let outcome = bench.deliver(&message("m-2").with_body(other)).await;
    assert_eq!(outcome, InvokeOutcome::TimedOut);
    bench.deliver(&message("m-1").again(2)).await;
    assert_eq!(bench.environments_and_processes().await, (1, 2));
    assert_eq!(bench.charges().await, 2);
}

#[tokio::test(start_paused = true)]
async fn a_failed_charge_is_not_remembered_and_an_exception_does_not_end_the_process() {
    let bench = Bench::with(
        GuardName::Memory,
        Setup {
            report_batch_item_failures: false,
            ..Setup::default()
        },
    );
    bench.arm(Call::Charge, 1, Fault::Throttled);
    let first = message("m-1");
    let outcome = bench.deliver(&first).await;
    assert!(matches!(outcome, InvokeOutcome::Failed { .. }));
    bench.deliver(&first.again(2)).await;
    bench.deliver(&first.again(3)).await;
    assert_eq!(bench.events(&first.again(2)).await, CHARGED);
    assert_eq!(bench.events(&first.again(3)).await, SKIPPED);
    assert_eq!(bench.environments_and_processes().await, (1, 1));
    assert_eq!(bench.charges().await, 1);
}
