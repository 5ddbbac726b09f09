//! Rules in force, and what they do to a call.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::fault::{Action, FaultRule};
use super::history::Answer;
use super::passage::Passage;
use super::point::Moment;

/// A rule that is in force.
pub(super) struct Armed {
    pub(super) rule: FaultRule,
    fired: AtomicU64,
}

impl Armed {
    pub(super) fn new(rule: FaultRule) -> Self {
        Self {
            rule,
            fired: AtomicU64::new(0),
        }
    }

    /// How often it fired.
    pub(super) fn fired(&self) -> u64 {
        self.fired.load(Ordering::Relaxed)
    }

    pub(super) fn fire(&self) {
        self.fired.fetch_add(1, Ordering::Relaxed);
    }
}

/// What awaits an answer on its way back.
#[derive(Default)]
pub(super) struct Fate<'a> {
    pub(super) delays: Vec<(Duration, &'a Armed)>,
    pub(super) end: Option<(Ending, &'a Armed)>,
    /// How many rules, from [`Passage::next_rule`] on, have had their chance by then.
    pub(super) rules: usize,
}

impl<'a> Fate<'a> {
    /// What the rules have in store for the next answer of a call.
    pub(super) fn of(passage: &Passage<'_>, armed: &'a [Armed]) -> Self {
        let mut fate = Self::default();
        for armed in armed.iter().skip(passage.next_rule) {
            fate.rules += 1;
            if !passage.is_hit(&armed.rule, Moment::After) {
                continue;
            }
            if let Action::Delay(delay) = armed.rule.action() {
                fate.delays.push((*delay, armed));
            } else if let Some(ending) = Ending::of(armed.rule.action()) {
                fate.end = Some((ending, armed));
                break;
            }
        }
        fate
    }

    pub(super) fn repeats(&self) -> bool {
        matches!(self.end, Some((Ending::Repeat, _)))
    }

    pub(super) fn answer(&self) -> Answer {
        self.end
            .as_ref()
            .map_or(Answer::Arrived, |(ending, _)| ending.answer())
    }
}

/// The actions that end a try.
#[derive(Clone, Copy)]
pub(super) enum Ending {
    Crash,
    Throttle,
    NoAnswer,
    Repeat,
}

impl Ending {
    pub(super) fn of(action: &Action) -> Option<Self> {
        match action {
            Action::Crash => Some(Self::Crash),
            Action::Throttle => Some(Self::Throttle),
            Action::NoAnswer => Some(Self::NoAnswer),
            Action::LoseAnswer => Some(Self::Repeat),
            Action::Fail { .. } | Action::Delay(_) => None,
        }
    }

    pub(super) fn answer(self) -> Answer {
        match self {
            Self::Crash => Answer::CallerGone,
            Self::Throttle => Answer::Replaced,
            Self::NoAnswer => Answer::Missing,
            Self::Repeat => Answer::Lost,
        }
    }
}
