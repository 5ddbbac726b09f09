//! The causes of duplicates and of lost charges, each made to happen on purpose.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::super::answer::AnswerForm;
use super::super::plan::{Budget, Envelope, PlannedArm, PlannedRun, Send, Step, StepAction};
use crate::failure::{Failure, nearest};
use crate::mapping::VisibilityMode;
use crate::order::Order;
use crate::verdict::Verdict;
use crate::worker::GuardName;

/// A cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cause {
    /// The producer sends four copies.
    ProducerCopies,
    /// The answer to a send is lost, and the producer's SDK sends again.
    ProducerRetry,
    /// The queue hands one message to two receivers.
    DuplicateDelivery,
    /// The message becomes visible while it is being processed.
    ShortVisibility,
    /// The function timeout ends an invocation after the effect.
    FunctionTimeout,
    /// The effect happened, and its caller is told that there was no answer.
    ErrorAfterEffect,
    /// The message was processed and is not deleted.
    FailedDelete,
    /// Another message of the batch fails, and all of it comes back.
    PartialBatchFailure,
    /// The answer to a batch is not of the form that Lambda reads.
    MalformedAnswer,
    /// A topic delivers twice, in envelopes.
    SnsEnvelope,
    /// A topic delivers twice, raw.
    SnsRaw,
    /// A message that was processed is moved back from the dead-letter queue.
    DeadLetterRedrive,
    /// Sent to a FIFO queue again, within the five minutes.
    FifoResendInside,
    /// Sent to a FIFO queue again, after the five minutes.
    FifoResendAfter,
    /// The call that claims is throttled.
    ThrottledClaim,
    /// The answer to the call that claims is lost, and the SDK repeats it.
    LostAnswerOfClaim,
    /// A copy comes when the record of the order is over.
    RecordExpired,
    /// The order is sent again on purpose, after the window, and its item is still there.
    LateTimeToLive,
    /// The clocks of two workers differ by more than a lease.
    ClockSkew,
    /// The order comes with another amount.
    OtherAmount,
    /// Two orders of two customers have one id.
    TwoOrdersOneKey,
    /// Each copy's body has a time of its own.
    ChangingTimestamp,
    /// The process dies after the claim.
    CrashAfterClaim,
    /// The process dies after the effect.
    CrashAfterEffect,
}

/// What a cause does to a message that is processed at the till, or in the table.
struct Calls {
    claim: Option<&'static str>,
    effect: &'static str,
}

impl Calls {
    fn of(guard: GuardName) -> Self {
        match guard {
            GuardName::None | GuardName::Memory | GuardName::IfExists => Self {
                claim: None,
                effect: "charge",
            },
            GuardName::Transaction => Self {
                claim: Some("transact"),
                effect: "transact",
            },
            _ => Self {
                claim: Some("claim"),
                effect: "charge",
            },
        }
    }
}

impl Cause {
    /// All causes.
    pub const ALL: [Cause; 24] = [
        Self::ProducerCopies,
        Self::ProducerRetry,
        Self::DuplicateDelivery,
        Self::ShortVisibility,
        Self::FunctionTimeout,
        Self::ErrorAfterEffect,
        Self::FailedDelete,
        Self::PartialBatchFailure,
        Self::MalformedAnswer,
        Self::SnsEnvelope,
        Self::SnsRaw,
        Self::DeadLetterRedrive,
        Self::FifoResendInside,
        Self::FifoResendAfter,
        Self::ThrottledClaim,
        Self::LostAnswerOfClaim,
        Self::RecordExpired,
        Self::LateTimeToLive,
        Self::ClockSkew,
        Self::OtherAmount,
        Self::TwoOrdersOneKey,
        Self::ChangingTimestamp,
        Self::CrashAfterClaim,
        Self::CrashAfterEffect,
    ];

    /// The name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ProducerCopies => "producer-copies",
            Self::ProducerRetry => "producer-retry",
            Self::DuplicateDelivery => "duplicate-delivery",
            Self::ShortVisibility => "short-visibility",
            Self::FunctionTimeout => "function-timeout",
            Self::ErrorAfterEffect => "error-after-effect",
            Self::FailedDelete => "failed-delete",
            Self::PartialBatchFailure => "partial-batch-failure",
            Self::MalformedAnswer => "malformed-answer",
            Self::SnsEnvelope => "sns-envelope",
            Self::SnsRaw => "sns-raw",
            Self::DeadLetterRedrive => "dead-letter-redrive",
            Self::FifoResendInside => "fifo-resend-inside",
            Self::FifoResendAfter => "fifo-resend-after",
            Self::ThrottledClaim => "throttled-claim",
            Self::LostAnswerOfClaim => "lost-answer-of-claim",
            Self::RecordExpired => "record-expired",
            Self::LateTimeToLive => "late-time-to-live",
            Self::ClockSkew => "clock-skew",
            Self::OtherAmount => "other-amount",
            Self::TwoOrdersOneKey => "two-orders-one-key",
            Self::ChangingTimestamp => "changing-timestamp",
            Self::CrashAfterClaim => "crash-after-claim",
            Self::CrashAfterEffect => "crash-after-effect",
        }
    }

    /// What happens, in a few words.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ProducerCopies => "the producer sends four copies",
            Self::ProducerRetry => "the answer to the send is lost, and the SDK sends again",
            Self::DuplicateDelivery => "the queue hands one message to two receivers",
            Self::ShortVisibility => "the message becomes visible while it is being processed",
            Self::FunctionTimeout => "the function timeout comes after the effect",
            Self::ErrorAfterEffect => "the effect happened, and its answer is missing",
            Self::FailedDelete => "the message was processed and is not deleted",
            Self::PartialBatchFailure => "another message fails, and the whole batch comes back",
            Self::MalformedAnswer => "the answer to the batch is not JSON",
            Self::SnsEnvelope => "a topic delivers twice, in envelopes",
            Self::SnsRaw => "a topic delivers twice, raw",
            Self::DeadLetterRedrive => "processed, dead-lettered and moved back",
            Self::FifoResendInside => "sent to a FIFO queue again after 4 minutes",
            Self::FifoResendAfter => "sent to a FIFO queue again after 6 minutes",
            Self::ThrottledClaim => "the call that claims is throttled",
            Self::LostAnswerOfClaim => "the answer to the claim is lost, and the SDK repeats it",
            Self::RecordExpired => "a copy comes an hour later, and the window is ten minutes",
            Self::LateTimeToLive => "sent again on purpose after the window, the item still there",
            Self::ClockSkew => "every second worker's clock is ahead by more than the lease",
            Self::OtherAmount => "the same order comes with another amount",
            Self::TwoOrdersOneKey => "two orders of two customers have one id",
            Self::ChangingTimestamp => "each copy's body has a time of its own",
            Self::CrashAfterClaim => "the process dies after the claim",
            Self::CrashAfterEffect => "the process dies after the effect",
        }
    }

    /// The arm that makes this happen to a guard. The last run of it is what the cell is about.
    ///
    /// # Errors
    /// Why no run can decide it.
    pub fn arm(self, guard: GuardName) -> Result<PlannedArm, &'static str> {
        let calls = Calls::of(guard);
        let mut arm = one_message(self, guard);
        match self {
            Self::ProducerCopies => copies(&mut arm, 4),
            Self::ProducerRetry => fault(&mut arm, "lose-answer@send"),
            Self::DuplicateDelivery => arm.knobs.queue.faults.duplicate_deliveries = 1,
            Self::ShortVisibility => {
                arm.knobs.work = seconds(20);
                arm.knobs.function_timeout = seconds(60);
                arm.knobs.visibility_timeout = seconds(60);
                arm.knobs.queue.lowered_visibility_timeout = Some(seconds(5));
                arm.knobs.mapping.visibility_mode = VisibilityMode::Queue;
            }
            Self::FunctionTimeout => {
                arm.knobs.work = seconds(1);
                arm.knobs.function_timeout = seconds(3);
                arm.knobs.visibility_timeout = seconds(18);
                fault(&mut arm, &format!("delay=5s@{}:after", calls.effect));
            }
            Self::ErrorAfterEffect => fault(&mut arm, &format!("no-answer@{}", calls.effect)),
            Self::FailedDelete => fault(&mut arm, "fail@delete"),
            Self::PartialBatchFailure => failing_batch(&mut arm, &calls),
            Self::MalformedAnswer => arm.knobs.function.answer = AnswerForm::NotJson,
            Self::SnsEnvelope => {
                copies(&mut arm, 2);
                first_send(&mut arm).envelope = Envelope::Sns;
            }
            Self::SnsRaw => copies(&mut arm, 2),
            Self::DeadLetterRedrive => {
                arm.knobs.max_receive_count = 1;
                fault(&mut arm, "fail@delete#1");
                arm.steps.push(Step {
                    at: seconds(3_600),
                    action: StepAction::Redrive,
                });
            }
            Self::FifoResendInside => {
                return Err("the queue drops the copy, so that the guard is never put to the test");
            }
            Self::FifoResendAfter => {
                arm.knobs.queue.fifo = true;
                arm.knobs.work = seconds(7 * 60);
                arm.knobs.function_timeout = seconds(10 * 60);
                arm.knobs.visibility_timeout = seconds(60 * 60);
                first_send(&mut arm).deduplication_id = Some("ORDER-003".to_owned());
                resend(&mut arm, seconds(6 * 60), |send| {
                    send.group = Some("another".to_owned());
                });
            }
            Self::ThrottledClaim | Self::LostAnswerOfClaim | Self::CrashAfterClaim => {
                let Some(claim) = calls.claim else {
                    return Err("this guard makes no claim before it charges");
                };
                fault(
                    &mut arm,
                    &match self {
                        Self::ThrottledClaim => format!("throttle@{claim}"),
                        Self::LostAnswerOfClaim => format!("lose-answer@{claim}"),
                        _ => format!("crash@{claim}:after"),
                    },
                );
            }
            Self::RecordExpired => {
                arm.knobs.guard.window = seconds(600);
                copies(&mut arm, 2);
                resend(&mut arm, seconds(3_600), |_| {});
            }
            Self::LateTimeToLive => {
                arm.knobs.guard.window = seconds(600);
                copies(&mut arm, 2);
                resend(&mut arm, seconds(3_600), |send| {
                    send.run = 1;
                    send.copies = 2;
                });
                let again = PlannedRun {
                    again: true,
                    ..arm.runs[0].clone()
                };
                arm.runs.push(again);
            }
            Self::ClockSkew => {
                copies(&mut arm, 2);
                arm.knobs.guard.lease = Some(seconds(20));
                arm.knobs.function.clock_skew = seconds(60);
            }
            Self::OtherAmount => other_content(&mut arm, |order| {
                order.amount = "500.00".parse().expect("a valid amount");
            }),
            Self::TwoOrdersOneKey => other_content(&mut arm, |order| {
                order.customer_id = "CUSTOMER-456".to_owned();
                order.amount = "75.00".parse().expect("a valid amount");
            }),
            Self::ChangingTimestamp => {
                copies(&mut arm, 4);
                first_send(&mut arm).extra = vec![("sentAt".to_owned(), "{time}".to_owned())];
            }
            Self::CrashAfterEffect => fault(&mut arm, &format!("crash@{}:after", calls.effect)),
        }
        Ok(arm)
    }
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn one_message(cause: Cause, guard: GuardName) -> PlannedArm {
    let order = Order {
        order_id: "ORDER-003".parse().expect("a valid id"),
        customer_id: "CUSTOMER-123".to_owned(),
        amount: "150.00".parse().expect("a valid amount"),
    };
    let name = format!("{guard}/{cause}");
    let mut arm = PlannedArm::one_send(name, cause.title(), guard, order, 1, Verdict::Pass);
    arm.budget = Budget::default();
    arm
}

fn first_send(arm: &mut PlannedArm) -> &mut Send {
    match &mut arm.steps[0].action {
        StepAction::Send(send) => send,
        StepAction::Redrive => unreachable!("the first step of a cause sends"),
    }
}

fn copies(arm: &mut PlannedArm, copies: u64) {
    first_send(arm).copies = copies;
}

fn fault(arm: &mut PlannedArm, rule: &str) {
    let rule = rule.parse().expect("a valid rule");
    arm.faults.push(rule);
}

fn resend(arm: &mut PlannedArm, at: Duration, change: impl FnOnce(&mut Send)) {
    let mut send = Send {
        copies: 1,
        ..first_send(arm).clone()
    };
    change(&mut send);
    arm.steps.push(Step {
        at,
        action: StepAction::Send(send),
    });
}

/// The order comes once more when the first is done, with other content.
fn other_content(arm: &mut PlannedArm, change: impl FnOnce(&mut Order)) {
    let mut other = arm.runs[0].order.clone();
    change(&mut other);
    arm.runs[0].other_contents.push(other.clone());
    resend(arm, seconds(30), |send| send.order = other);
}

/// A batch of two orders. The second fails, and the consumer throws; the cell is about the first,
/// which is therefore planned last.
fn failing_batch(arm: &mut PlannedArm, calls: &Calls) {
    arm.knobs.mapping.batch_size = 2;
    arm.knobs.mapping.report_batch_item_failures = false;
    arm.knobs.function.report_batch_item_failures = false;
    fault(arm, &format!("fail@{}#2", calls.effect));
    let other = Order {
        order_id: "ORDER-004".parse().expect("a valid id"),
        ..arm.runs[0].order.clone()
    };
    first_send(arm).run = 1;
    resend(arm, Duration::ZERO, |send| {
        send.order = other.clone();
        send.run = 0;
    });
    let other = PlannedRun {
        order: other,
        ..arm.runs[0].clone()
    };
    arm.runs.insert(0, other);
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.name())
    }
}

impl FromStr for Cause {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let found = Self::ALL.into_iter().find(|cause| cause.name() == text);
        found.ok_or_else(|| {
            let names = Self::ALL.map(Self::name);
            let failure = Failure::usage(format!(
                "unknown cause `{text}`; known causes: {}",
                names.join(", ")
            ));
            match nearest(text, names) {
                Some(name) => failure.hint(format!("did you mean `{name}`?")),
                None => failure,
            }
        })
    }
}
