//! What an arm sends, and which orders are judged because of that.

use std::ops::Range;
use std::time::Duration;

use super::super::knobs::Knobs;
use super::super::plan::{Envelope, PlannedRun, Send, Step, StepAction};
use super::arm::Defaults;
use super::section::Section;
use crate::failure::{Failure, nearest};
use crate::order::{Amount, Order, OrderId};
use crate::verdict::Verdict;

/// What a send takes from the arm around it.
pub(super) struct Sender<'a> {
    pub(super) defaults: &'a Defaults,
    pub(super) knobs: &'a Knobs,
    pub(super) expect: Option<Verdict>,
}

/// The steps of an arm, and the orders that are judged.
type Sent = (Vec<Step>, Vec<PlannedRun>);

/// Reads `sends`, or the short form `order` and `copies`.
pub(super) fn sends(section: &mut Section<'_>, sender: &Sender<'_>) -> Option<Sent> {
    let short_form = (
        section.parsed::<OrderId>("order"),
        section.integer::<u64>("copies"),
    );
    let span = section.span.clone();
    match (section.sections("sends"), short_form) {
        (Some(steps), (None, None)) => {
            let mut reader = StepReader::new(sender);
            // Every step is read, also behind a wrong one: all mistakes are reported at once.
            let mut whole = true;
            for step in steps {
                whole &= reader.step(step).is_some();
            }
            if reader.runs.is_empty() && whole {
                section.mistake(span, "an arm that sends nothing");
                return None;
            }
            whole.then_some((reader.steps, reader.runs))
        }
        (Some(_), _) => {
            section.mistake(
                span,
                "an arm has `order` and `copies`, or `sends`, not both",
            );
            None
        }
        (None, (order, copies)) => {
            let order = section.required("order", order);
            let copies = section.required("copies", copies);
            if sender.expect.is_none() {
                section.required::<()>("expect", None);
            }
            let order = order_of(order?.value, sender.defaults, None, None);
            let mut reader = StepReader::new(sender);
            let send = Send::new(0, order.clone(), copies?.value);
            reader.open(&order, false, sender.expect?);
            reader.add(section, span, Duration::ZERO, send)?;
            Some((reader.steps, reader.runs))
        }
    }
}

fn order_of(
    order_id: OrderId,
    defaults: &Defaults,
    amount: Option<Amount>,
    customer: Option<String>,
) -> Order {
    Order {
        order_id,
        customer_id: customer.unwrap_or_else(|| defaults.customer.clone()),
        amount: amount.unwrap_or_else(|| defaults.amount.clone()),
    }
}

struct StepReader<'a> {
    sender: &'a Sender<'a>,
    steps: Vec<Step>,
    runs: Vec<PlannedRun>,
    /// When the last step is.
    last: Duration,
}

impl<'a> StepReader<'a> {
    fn new(sender: &'a Sender<'a>) -> Self {
        Self {
            sender,
            steps: Vec::new(),
            runs: Vec::new(),
            last: Duration::ZERO,
        }
    }

    /// Reads one step; `None` if something is wrong with it.
    fn step(&mut self, mut section: Section<'_>) -> Option<()> {
        let at = self.time(&mut section);
        let redrive = section.flag("redrive").unwrap_or_default();
        let order = section.parsed::<OrderId>("order");
        let order = match redrive {
            true => order,
            false => section.required("order", order),
        };
        let copies = section
            .integer::<u64>("copies")
            .map_or(1, |found| found.value);
        let amount = section.parsed("amount").map(|found| found.value);
        let customer = section.text("customer").map(|found| found.value);
        let again = section.flag("again").unwrap_or_default();
        let expect = section.parsed::<Verdict>("expect");
        let extra = section.free_texts("extra");
        let envelope = envelope(&mut section);
        let deduplication_id = section.text("deduplication_id").map(|found| found.value);
        let group = section.text("group").map(|found| found.value);
        let delay = section.duration("delay").map(|found| found.value);
        let span = section.span.clone();
        if redrive {
            if order.is_some() {
                section.mistake(span, "a step sends an order or redrives, not both");
            }
            section.finish();
            self.steps.push(Step {
                at: at?,
                action: StepAction::Redrive,
            });
            return Some(());
        }
        let order =
            order.map(|order| order_of(order.value, self.sender.defaults, amount, customer));
        let run = order.as_ref().and_then(|order| {
            let expect = expect.map(|expect| (expect.value, expect.span));
            self.run_of(&section, order, again, expect)
        });
        let send = Send {
            copies,
            extra,
            envelope: envelope?,
            deduplication_id,
            group,
            delay,
            ..Send::new(run?, order?, copies)
        };
        let added = self.add(&section, span, at?, send);
        section.finish();
        added
    }

    /// When the step is: `at` counts from the first moment, `after` from the step before.
    fn time(&mut self, section: &mut Section<'_>) -> Option<Duration> {
        let (at, after) = (section.duration("at"), section.duration("after"));
        let time = match (at, after) {
            (Some(_), Some(after)) => {
                section.mistake(after.span, "a step has `at` or `after`, not both");
                return None;
            }
            (Some(at), None) if at.value < self.last => {
                section.mistake(at.span, "a step cannot be earlier than the one before it");
                return None;
            }
            (Some(at), None) => at.value,
            (None, Some(after)) => self.last + after.value,
            (None, None) => self.last,
        };
        self.last = time;
        Some(time)
    }

    /// The run that a send belongs to: a new one for an order that is sent for the first time, or
    /// again on purpose.
    fn run_of(
        &mut self,
        section: &Section<'_>,
        order: &Order,
        again: bool,
        expect: Option<(Verdict, Range<usize>)>,
    ) -> Option<usize> {
        let known = |run: &PlannedRun| run.order.order_id == order.order_id;
        let before = self.runs.iter().rposition(known);
        match (before, again) {
            (None, true) => {
                let message = format!("order `{}` was not sent before", order.order_id);
                section.mistake(section.span.clone(), message);
                None
            }
            (Some(run), false) => {
                if let Some((_, span)) = expect {
                    section.mistake(
                        span,
                        "the verdict of this order is expected where it is sent first, or with \
                         `again = true`",
                    );
                }
                let planned = &mut self.runs[run];
                if planned.order != *order && !planned.other_contents.contains(order) {
                    planned.other_contents.push(order.clone());
                }
                Some(run)
            }
            _ => {
                let expected = expect.map(|(verdict, _)| verdict).or(self.sender.expect);
                let expected = section.required("expect", expected)?;
                Some(self.open(order, again, expected))
            }
        }
    }

    fn open(&mut self, order: &Order, again: bool, expected: Verdict) -> usize {
        self.runs.push(PlannedRun {
            order: order.clone(),
            other_contents: Vec::new(),
            again,
            expected,
        });
        self.runs.len() - 1
    }

    fn add(
        &mut self,
        section: &Section<'_>,
        span: Range<usize>,
        at: Duration,
        send: Send,
    ) -> Option<()> {
        if let Err(failure) = send.validate(self.sender.knobs) {
            section.failure(span, failure);
            return None;
        }
        self.steps.push(Step {
            at,
            action: StepAction::Send(send),
        });
        Some(())
    }
}

fn envelope(section: &mut Section<'_>) -> Option<Envelope> {
    const NAMES: [&str; 3] = ["none", "sns", "sns-raw"];
    let Some(text) = section.text("envelope") else {
        return Some(Envelope::None);
    };
    match text.value.as_str() {
        // Raw message delivery hands the body over as it was published.
        "none" | "sns-raw" => Some(Envelope::None),
        "sns" => Some(Envelope::Sns),
        other => {
            let failure = Failure::usage(format!(
                "unknown envelope `{other}`; known envelopes: {}",
                NAMES.join(", ")
            ));
            let failure = match nearest(other, NAMES) {
                Some(name) => failure.hint(format!("did you mean `{name}`?")),
                None => failure,
            };
            section.failure(text.span, failure);
            None
        }
    }
}
