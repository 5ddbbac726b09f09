//! Configuration that is allowed and asks for trouble: told before a run, with what to do.

use std::fmt;
use std::time::Duration;

use super::answer::AnswerForm;
use super::duration::format_duration;
use super::plan::{Plan, PlannedArm};
use crate::ports::KEY_ATTRIBUTE;
use crate::worker::GuardName;

/// Epoch seconds from here on are no dates that anybody means: the year 5138. Milliseconds of the
/// present are beyond.
const NOT_SECONDS: u64 = 100_000_000_000;

/// Something about a configuration that a reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lint {
    /// No charge can end before the function is ended.
    WorkBeyondTimeout {
        /// How long a charge takes.
        work: Duration,
        /// Function timeout.
        function_timeout: Duration,
    },
    /// The visibility timeout is below six times the function timeout.
    ShortVisibility {
        /// The queue's visibility timeout.
        visibility_timeout: Duration,
        /// Function timeout.
        function_timeout: Duration,
    },
    /// The visibility timeout was lowered below the function timeout when the mapping existed
    /// already. AWS refuses this when the mapping is created, and does not look later.
    VisibilityBelowFunction {
        /// What it was lowered to.
        visibility_timeout: Duration,
        /// Function timeout.
        function_timeout: Duration,
    },
    /// The consumer names the messages that failed, and the mapping does not look.
    ReportIgnored,
    /// The consumer's answer is not of the form that Lambda reads.
    MalformedReport {
        /// The form.
        form: AnswerForm,
    },
    /// A claim outlives the time after which its message comes back.
    LeaseNotShorter {
        /// Lease with its margin.
        lease: Duration,
        /// Visibility timeout.
        visibility_timeout: Duration,
    },
    /// An order counts as new again while copies of it can still come.
    ShortWindow {
        /// Window of the guard.
        window: Duration,
        /// How long copies come.
        retries: Duration,
    },
    /// The key is made by the transport, not by who made the order.
    KeyFromTransport {
        /// The guard.
        guard: GuardName,
    },
    /// The key is the hash of a body that differs from copy to copy.
    KeyFromChangingBody {
        /// The fields that change.
        fields: Vec<String>,
    },
    /// Each copy has a deduplication id of its own, so that none is a duplicate.
    DeduplicationPerCopy,
    /// Reserved concurrency below the five batches that a mapping begins with.
    LowReservedConcurrency {
        /// The setting.
        reserved: usize,
    },
    /// A condition on the key of a table with a sort key does not see the items beside it.
    CompositeKey {
        /// The sort key.
        sort_key: String,
    },
    /// The time to live is written in milliseconds: the item never expires.
    TtlInMilliseconds {
        /// The value.
        value: u64,
    },
}

impl fmt::Display for Lint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let duration = |duration: &Duration| format_duration(*duration);
        match self {
            Self::WorkBeyondTimeout {
                work,
                function_timeout,
            } => write!(
                formatter,
                "the work takes {} s and the function timeout is {} s: no charge can end in time; raise the function timeout",
                work.as_secs_f64(),
                function_timeout.as_secs()
            ),
            Self::ShortVisibility {
                visibility_timeout,
                function_timeout,
            } => write!(
                formatter,
                "the visibility timeout of {} s is below six times the function timeout ({} s), which Lambda's documentation recommends",
                visibility_timeout.as_secs(),
                (*function_timeout * 6).as_secs()
            ),
            Self::VisibilityBelowFunction {
                visibility_timeout,
                function_timeout,
            } => write!(
                formatter,
                "the visibility timeout of {} s is below the function timeout of {} s: a message comes back while it is being processed; AWS refuses this when the mapping is created but not later, so raise it",
                visibility_timeout.as_secs(),
                function_timeout.as_secs()
            ),
            Self::ReportIgnored => formatter.write_str(
                "the consumer reports `batchItemFailures`, but the mapping does not look at them: what it reports as failed is deleted; enable `ReportBatchItemFailures`",
            ),
            Self::MalformedReport { form } => write!(
                formatter,
                "the consumer's answer has the form `{form}`, which is not that of a partial batch response; answer `{{\"batchItemFailures\":[{{\"itemIdentifier\":\"…\"}}]}}`"
            ),
            Self::LeaseNotShorter {
                lease,
                visibility_timeout,
            } => write!(
                formatter,
                "the lease of {} is not shorter than the visibility timeout of {}: a message comes back to a claim that is still alive; shorten the lease",
                duration(lease),
                duration(visibility_timeout)
            ),
            Self::ShortWindow { window, retries } => write!(
                formatter,
                "the window of {} is shorter than the {} during which copies come: a late copy counts as a new order; widen the window",
                duration(window),
                duration(retries)
            ),
            Self::KeyFromTransport { guard } => write!(
                formatter,
                "the key of `{guard}` is the MessageId, which SQS makes anew for each send: copies have different keys; take the key from the order"
            ),
            Self::KeyFromChangingBody { fields } => write!(
                formatter,
                "the key of `body-hash` covers {}, which differs from copy to copy: copies have different keys; take the key from the order",
                fields
                    .iter()
                    .map(|field| format!("`{field}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            Self::DeduplicationPerCopy => formatter.write_str(
                "each copy has a deduplication id of its own, so that the queue takes none for a duplicate; take the id from the order",
            ),
            Self::LowReservedConcurrency { reserved } => write!(
                formatter,
                "the reserved concurrency of {reserved} is below 5, with which a mapping begins: throttled invocations use up receives; reserve at least 5"
            ),
            Self::CompositeKey { sort_key } => write!(
                formatter,
                "the claim table has the sort key `{sort_key}`: `attribute_not_exists` looks at one item only, so that the same order under another `{sort_key}` is claimed again; use the partition key `{KEY_ATTRIBUTE}` alone"
            ),
            Self::TtlInMilliseconds { value } => write!(
                formatter,
                "the time to live {value} is in milliseconds: DynamoDB reads seconds, so that the item never expires; divide by 1000"
            ),
        }
    }
}

/// What a claim table looks like from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableFacts {
    /// The sort key, if it has one.
    pub sort_key: Option<String>,
    /// The time to live of some item.
    pub time_to_live: Option<u64>,
}

/// What is to be said of a claim table.
pub fn lint_table(facts: &TableFacts) -> Vec<Lint> {
    let sort_key = facts.sort_key.clone();
    let composite = sort_key.map(|sort_key| Lint::CompositeKey { sort_key });
    let value = facts.time_to_live.filter(|value| *value >= NOT_SECONDS);
    let milliseconds = value.map(|value| Lint::TtlInMilliseconds { value });
    composite.into_iter().chain(milliseconds).collect()
}

/// What is to be said of a plan: each thing once.
pub fn lint(plan: &Plan) -> Vec<Lint> {
    let mut found = Vec::new();
    for lint in plan.arms.iter().flat_map(lint_arm) {
        if !found.contains(&lint) {
            found.push(lint);
        }
    }
    found
}

fn lint_arm(arm: &PlannedArm) -> Vec<Lint> {
    let mut found = Vec::new();
    lint_timeouts(arm, &mut found);
    lint_answers(arm, &mut found);
    lint_keys(arm, &mut found);
    lint_times_of_guard(arm, &mut found);
    found
}

fn lint_timeouts(arm: &PlannedArm, found: &mut Vec<Lint>) {
    let knobs = &arm.knobs;
    let (work, function_timeout) = (knobs.work, knobs.function_timeout);
    if work >= function_timeout {
        found.push(Lint::WorkBeyondTimeout {
            work,
            function_timeout,
        });
    }
    match knobs.queue.lowered_visibility_timeout {
        Some(visibility_timeout) if visibility_timeout < function_timeout => {
            found.push(Lint::VisibilityBelowFunction {
                visibility_timeout,
                function_timeout,
            });
        }
        _ if knobs.visibility_timeout < function_timeout * 6 => {
            found.push(Lint::ShortVisibility {
                visibility_timeout: knobs.visibility_timeout,
                function_timeout,
            });
        }
        _ => {}
    }
    if let Some(reserved @ ..5) = knobs.function.reserved_concurrency {
        found.push(Lint::LowReservedConcurrency { reserved });
    }
}

fn lint_answers(arm: &PlannedArm, found: &mut Vec<Lint>) {
    let (function, mapping) = (&arm.knobs.function, &arm.knobs.mapping);
    if function.report_batch_item_failures && !mapping.report_batch_item_failures {
        found.push(Lint::ReportIgnored);
    }
    if function.answer != AnswerForm::AsIs && mapping.report_batch_item_failures {
        found.push(Lint::MalformedReport {
            form: function.answer,
        });
    }
}

fn lint_keys(arm: &PlannedArm, found: &mut Vec<Lint>) {
    let copies: u64 = arm.copies();
    if arm.guard == GuardName::MessageId && (copies > 1 || arm.redrives()) {
        found.push(Lint::KeyFromTransport { guard: arm.guard });
    }
    let changes = |text: &str| text.contains("{copy}") || text.contains("{time}");
    if arm.guard == GuardName::BodyHash {
        let extra = arm.sends().flat_map(|send| &send.extra);
        let changing = extra.filter(|(_, value)| changes(value));
        let fields: Vec<String> = changing.map(|(name, _)| name.clone()).collect();
        if !fields.is_empty() {
            found.push(Lint::KeyFromChangingBody { fields });
        }
    }
    let per_copy = |id: &String| id.contains("{copy}");
    let mut ids = arm
        .sends()
        .filter_map(|send| send.deduplication_id.as_ref());
    if ids.any(per_copy) {
        found.push(Lint::DeduplicationPerCopy);
    }
}

fn lint_times_of_guard(arm: &PlannedArm, found: &mut Vec<Lint>) {
    let knobs = &arm.knobs;
    if let Some(lease) = knobs.guard.lease.filter(|_| arm.guard.leases()) {
        let lease = lease + knobs.guard.lease_margin;
        if lease >= knobs.visibility_timeout {
            found.push(Lint::LeaseNotShorter {
                lease,
                visibility_timeout: knobs.visibility_timeout,
            });
        }
    }
    let has_window = arm.guard.leases() || arm.guard == GuardName::Transaction;
    let last = arm.steps.last().map_or(Duration::ZERO, |step| step.at);
    let comes_again_on_purpose = arm.runs.iter().any(|run| run.again);
    if has_window && !comes_again_on_purpose && knobs.guard.window <= last {
        found.push(Lint::ShortWindow {
            window: knobs.guard.window,
            retries: last,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Overrides, Scenario};

    /// What is said of a scenario with one arm, under this guard and with these further lines.
    fn said(guard: &str, lines: &str) -> Vec<Lint> {
        let text = format!(
            "title = \"t\"\nlearn = \"l\"\n[[arm]]\nname = \"a\"\ntitle = \"t\"\n\
             guard = \"{guard}\"\nexpect = \"PASS\"\n{lines}\n"
        );
        let scenario = Scenario::from_toml("x.toml", &text).expect("a scenario");
        lint(&Plan::new(&scenario, 1, &Overrides::default()).expect("a plan"))
    }

    const ONE_ORDER: &str = "order = \"O\"\ncopies = 2\n";

    #[test]
    fn the_usual_settings_need_no_warning() {
        for guard in ["none", "claim", "lease", "keyed-charge", "body-hash"] {
            assert_eq!(said(guard, ONE_ORDER), []);
        }
    }

    #[test]
    fn each_setting_that_asks_for_trouble_is_named() {
        let seconds = Duration::from_secs;
        let cases = [
            (
                "none",
                "work = \"40s\"",
                Lint::WorkBeyondTimeout {
                    work: seconds(40),
                    function_timeout: seconds(30),
                },
            ),
            (
                "none",
                "queue = { visibility_timeout = \"60s\" }",
                Lint::ShortVisibility {
                    visibility_timeout: seconds(60),
                    function_timeout: seconds(30),
                },
            ),
            (
                "none",
                "queue = { lowered_visibility_timeout = \"5s\" }",
                Lint::VisibilityBelowFunction {
                    visibility_timeout: seconds(5),
                    function_timeout: seconds(30),
                },
            ),
            (
                "none",
                "mapping = { report_batch_item_failures = false }",
                Lint::ReportIgnored,
            ),
            (
                "none",
                "function = { answer = \"ok\" }",
                Lint::MalformedReport {
                    form: AnswerForm::Ok,
                },
            ),
            (
                "lease",
                "guard_settings = { lease = \"170s\", lease_margin = \"10s\" }",
                Lint::LeaseNotShorter {
                    lease: seconds(180),
                    visibility_timeout: seconds(180),
                },
            ),
            (
                "message-id",
                "",
                Lint::KeyFromTransport {
                    guard: GuardName::MessageId,
                },
            ),
            (
                "none",
                "function = { reserved_concurrency = 2 }",
                Lint::LowReservedConcurrency { reserved: 2 },
            ),
        ];
        for (guard, lines, lint) in cases {
            assert_eq!(
                said(guard, &format!("{ONE_ORDER}{lines}")),
                [lint],
                "{lines}"
            );
        }
    }

    #[test]
    fn keys_and_windows_are_held_against_what_is_sent() {
        assert_eq!(
            said(
                "body-hash",
                "sends = [{ order = \"O\", copies = 2, extra = { sentAt = \"{time}\" } }]"
            ),
            [Lint::KeyFromChangingBody {
                fields: vec!["sentAt".to_owned()]
            }]
        );
        assert_eq!(
            said(
                "none",
                "queue = { fifo = true }\n\
                 sends = [{ order = \"O\", copies = 2, deduplication_id = \"{copy}\" }]"
            ),
            [Lint::DeduplicationPerCopy]
        );
        assert_eq!(
            said(
                "lease",
                "guard_settings = { window = \"10m\" }\n\
                 sends = [{ order = \"O\" }, { order = \"O\", after = \"24h\" }]"
            ),
            [Lint::ShortWindow {
                window: Duration::from_secs(600),
                retries: Duration::from_secs(86_400),
            }]
        );
    }

    #[test]
    fn a_lease_is_no_matter_to_a_guard_without_one() {
        let lines = format!("{ONE_ORDER}guard_settings = {{ lease = \"10m\" }}");
        assert_eq!(said("claim", &lines), []);
    }

    #[test]
    fn tables_are_looked_at_too() {
        let facts = TableFacts {
            sort_key: Some("messageId".to_owned()),
            time_to_live: Some(1_760_000_000_000),
        };
        let said: Vec<String> = lint_table(&facts).iter().map(ToString::to_string).collect();
        assert_eq!(said.len(), 2);
        assert!(
            said[0].contains("use the partition key `orderId` alone"),
            "{}",
            said[0]
        );
        assert!(
            said[1].contains("1760000000000 is in milliseconds"),
            "{}",
            said[1]
        );
        let sound = TableFacts {
            sort_key: None,
            time_to_live: Some(1_760_000_000),
        };
        assert_eq!(lint_table(&sound), []);
    }
}
