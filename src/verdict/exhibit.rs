//! The few lines of a run that can be shown beside its verdict.
//!
//! A run can have millions of lines, and which of them decide is known at the end. But it is always
//! the first of their kind that do, so only those are kept.

use super::readback::{DeliveryTrace, Ending, Moment};
use crate::event::EventType;

/// Lines that are kept of each kind.
const KEPT_OF_A_KIND: u8 = 3;

/// Characters of a request id that tell one invocation from another at a glance.
const SHORT_REQUEST_ID: usize = 8;

/// Most lines that are shown.
const SHOWN: usize = 6;

/// What a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// An event of the worker.
    Event(EventType),
    /// A delivery failed.
    Failure(Ending),
    /// The till replayed its first answer.
    Replay,
}

impl Kind {
    /// Kinds are told apart by this.
    const COUNT: usize = 16;

    const fn slot(self) -> usize {
        match self {
            Self::Event(event_type) => event_type as usize,
            Self::Failure(ending) => 6 + ending as usize,
            Self::Replay => Self::COUNT - 1,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Event(event_type) => event_type.name(),
            Self::Failure(ending) => ending.name(),
            Self::Replay => "charge replayed",
        }
    }
}

const START: Kind = Kind::Event(EventType::ProcessStart);
const END: Kind = Kind::Event(EventType::ProcessEnd);

const _: () = assert!(Kind::Failure(Ending::TimedOut).slot() < Kind::Replay.slot());

/// A line that can be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Exhibit {
    moment: Moment,
    /// Index of the delivery.
    delivery: usize,
    request_id: Box<str>,
    kind: Kind,
}

/// The lines that are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Exhibits {
    kept: Vec<Exhibit>,
    counts: [u8; Kind::COUNT],
}

impl Exhibits {
    /// Keeps the line if it is one of the first of its kind, and the start of its delivery with it.
    pub(super) fn keep(
        &mut self,
        kind: Kind,
        moment: Moment,
        request_id: &str,
        delivery: usize,
        trace: &DeliveryTrace,
    ) {
        // A claim that is lost says as much as the skip that always follows it.
        let of_kind = &mut self.counts[kind.slot()];
        if *of_kind >= KEPT_OF_A_KIND
            || matches!(kind, START | Kind::Event(EventType::SkipDuplicate))
        {
            return;
        }
        *of_kind += 1;
        let starts = |kept: &Exhibit| kept.kind == START && kept.delivery == delivery;
        let start = trace.started.filter(|_| !self.kept.iter().any(starts));
        let start = start.map(|started| (START, started));
        for (kind, moment) in start.into_iter().chain([(kind, moment)]) {
            self.kept.push(Exhibit {
                moment,
                delivery,
                request_id: request_id.chars().take(SHORT_REQUEST_ID).collect(),
                kind,
            });
        }
    }

    /// Deliveries with a line of a kind that `is` accepts, in the order in which those were read.
    pub(super) fn deliveries(&self, is: impl Fn(Kind) -> bool) -> impl Iterator<Item = usize> {
        let kept = self.kept.iter();
        kept.filter(move |exhibit| is(exhibit.kind))
            .map(|exhibit| exhibit.delivery)
    }

    /// The lines of some deliveries, in the order of time, as text. If there are too many, ends
    /// are left out first, then starts, and then lines of the later deliveries.
    pub(super) fn shown(&self, deliveries: &[usize]) -> Vec<String> {
        let of = |delivery: &usize| {
            let delivery = *delivery;
            self.kept
                .iter()
                .filter(move |kept| kept.delivery == delivery)
        };
        let mut chosen: Vec<&Exhibit> = deliveries.iter().flat_map(of).collect();
        for least in [END, START] {
            if chosen.len() > SHOWN {
                chosen.retain(|exhibit| exhibit.kind != least);
            }
        }
        chosen.truncate(SHOWN);
        chosen.sort_by_key(|exhibit| exhibit.moment);
        chosen.into_iter().map(Exhibit::to_line).collect()
    }
}

impl Exhibit {
    fn to_line(&self) -> String {
        format!(
            "{}  {}  {} (delivery {})",
            self.moment.time,
            self.request_id,
            self.kind.name(),
            self.delivery + 1
        )
    }
}
