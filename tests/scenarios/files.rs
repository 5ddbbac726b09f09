//! Files that are wrong, and what is said of them.

use lab::experiment::{Overrides, Plan, Scenario, StepAction};
use lab::failure::exit;

fn refused(text: &str) -> String {
    let failure = Scenario::from_toml("x.toml", text).expect_err("it is wrong");
    assert_eq!(failure.exit_code, exit::USAGE);
    failure.to_string()
}

fn plan(text: &str) -> Plan {
    let scenario =
        Scenario::from_toml("x.toml", text).unwrap_or_else(|failure| panic!("{failure}"));
    Plan::new(&scenario, 1, &Overrides::default()).expect("a plan")
}

#[test]
fn every_mistake_is_reported_with_its_place_and_the_nearest_key() {
    let text = r#"title = "t"
lern = "l"

[defaults]
amount = "150,00"
queue = { visibility_timout = "60s" }

[[arm]]
name = "a"
title = 7
guard = "clam"
order = "O"
copies = 2
expect = "PAS"
faults = ["crash@claim", "explode@claim"]

[[arm]]
name = "b"
title = "t"
guard = "none"
expect = "PASS"
sends = [
  { order = "O", copies = 0 },
  { copies = 2 },
  { order = "P", at = "5m" },
  { order = "Q", at = "1m", envelope = "sqs" },
]
"#;
    assert_eq!(
        refused(text),
        "scenario `x.toml` has 14 mistakes
  x.toml:1:1: `learn` is missing in the scenario
  x.toml:2:1: unknown key `lern` in the scenario; known keys: title, learn, defaults, arm (hint: did you mean `learn`?)
  x.toml:5:10: `150,00` is not an amount: write digits with at most two decimals, as in `150.00`
  x.toml:6:11: unknown key `visibility_timout` in `queue` of `defaults` of the scenario; known keys: visibility_timeout, lowered_visibility_timeout, max_receive_count, fifo, content_based_deduplication, retention, delay, duplicate_deliveries, resurrected_deletes, reorder (hint: did you mean `visibility_timeout`?)
  x.toml:10:9: `title` must be a text, not an integer
  x.toml:11:9: unknown guard `clam`; known guards: none, memory, if-exists, message-id, body-hash, claim, claim-release, lease, fenced-lease, keyed-charge, transaction (hint: did you mean `claim`?)
  x.toml:14:10: unknown verdict `PAS`; known verdicts: PASS, DOUBLE, LOST, STUCK, CONFLICT, INCOMPLETE, INCONCLUSIVE (hint: did you mean `PASS`?)
  x.toml:15:11: `crash@claim` does not say when (hint: write `crash@claim:before` or `crash@claim:after`)
  x.toml:15:26: unknown action `explode` in `explode@claim`; known actions: crash, throttle, fail, lose-answer, no-answer, delay
  x.toml:23:3: 0 copies is out of range: 1 to 10000000
  x.toml:24:3: `order` is missing in [[sends]]
  x.toml:26:23: a step cannot be earlier than the one before it
  x.toml:26:40: unknown envelope `sqs`; known envelopes: none, sns, sns-raw (hint: did you mean `sns`?)"
            .replace("14 mistakes", "13 mistakes")
    );
}

#[test]
fn syntax_errors_are_reported_together() {
    let said = refused("title = \nlearn = \"l\"\n[[arm]\nname = \"a\"\n");
    assert!(said.starts_with("scenario `x.toml` has "), "{said}");
    assert!(said.contains("\n  x.toml:1:"), "{said}");
    assert!(said.contains("\n  x.toml:3:"), "{said}");
}

#[test]
fn what_aws_refuses_is_refused_in_its_words() {
    let with = |lines: &str| {
        format!(
            "title = \"t\"\nlearn = \"l\"\n[[arm]]\nname = \"a\"\ntitle = \"t\"\nguard = \"none\"\n\
             expect = \"PASS\"\norder = \"O\"\ncopies = 2\n{lines}\n"
        )
    };
    for (lines, message) in [
        (
            "queue = { visibility_timeout = \"60s\" }\nfunction = { timeout = \"180s\" }",
            "Queue visibility timeout: 60 seconds is less than Function timeout: 180 seconds",
        ),
        (
            "mapping = { batch_size = 11 }",
            "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
        ),
        (
            "queue = { fifo = true }",
            "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
        ),
        (
            "queue = { retention = \"59s\" }",
            "retention 59 s is out of range: 60 to 1209600 s",
        ),
        (
            "mapping = { maximum_concurrency = 1 }",
            "maximum concurrency 1 is out of range: 2 to 1000",
        ),
        (
            "queue = { max_receive_count = 0 }",
            "max receive count 0 is out of range: 1 to 1000",
        ),
        (
            "queue = { content_based_deduplication = true }",
            "needs a FIFO queue",
        ),
        (
            "sends = [{ order = \"O\" }]",
            "an arm has `order` and `copies`, or `sends`, not both",
        ),
    ] {
        let said = refused(&with(lines));
        assert!(said.contains(message), "{lines} says: {said}");
    }
}

#[test]
fn steps_open_runs_and_count_their_time() {
    let plan = plan(
        r#"title = "t"
learn = "l"
[[arm]]
name = "a"
title = "t"
guard = "claim"
expect = "PASS"
queue = { visibility_timeout = "90s" }
function = { timeout = "15s" }
sends = [
  { order = "O", copies = 2 },
  { order = "P", after = "10s" },
  { order = "O", amount = "500.00", after = "20s" },
  { redrive = true, at = "1h" },
  { order = "O", after = "24h", again = true, expect = "LOST" },
]
"#,
    );
    let arm = &plan.arms[0];
    let times: Vec<u64> = arm.steps.iter().map(|step| step.at.as_secs()).collect();
    assert_eq!(times, [0, 10, 30, 3_600, 90_000]);
    assert_eq!(arm.steps[3].action, StepAction::Redrive);
    let runs: Vec<usize> = arm.sends().map(|send| send.run).collect();
    assert_eq!(runs, [0, 1, 0, 2]);
    let said: Vec<(&str, usize, bool, &str)> = arm
        .runs
        .iter()
        .map(|run| {
            let order = run.order.order_id.as_str();
            (
                order,
                run.other_contents.len(),
                run.again,
                run.expected.name(),
            )
        })
        .collect();
    assert_eq!(
        said,
        [
            ("O", 1, false, "PASS"),
            ("P", 0, false, "PASS"),
            ("O", 0, true, "LOST")
        ]
    );
    assert_eq!(arm.copies(), 5);
}

#[test]
fn arms_take_the_defaults_key_by_key() {
    let plan = plan(
        r#"title = "t"
learn = "l"
[defaults]
customer = "C"
function = { timeout = "10s", reserved_concurrency = 7 }
guard_settings = { window = "1h" }
[[arm]]
name = "a"
title = "t"
guard = "claim"
order = "O"
copies = 2
expect = "PASS"
[[arm]]
name = "b"
title = "t"
guard = "claim"
order = "O"
copies = 2
expect = "PASS"
function = { timeout = "20s" }
"#,
    );
    let seconds = |index: usize| {
        let knobs = &plan.arms[index].knobs;
        (
            knobs.function_timeout.as_secs(),
            knobs.visibility_timeout.as_secs(),
        )
    };
    assert_eq!((seconds(0), seconds(1)), ((10, 60), (20, 120)));
    for arm in &plan.arms {
        assert_eq!(arm.knobs.function.reserved_concurrency, Some(7));
        assert_eq!(arm.knobs.guard.window.as_secs(), 3_600);
        assert_eq!(arm.runs[0].order.customer_id, "C");
    }
}
