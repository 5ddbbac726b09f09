//! The long polls that wait at one queue, in order of arrival.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::Notify;

use crate::ports::Timestamp;

/// A place in the line; lower numbers arrived earlier.
pub(super) type Ticket = u64;

/// The line of long polls at one queue.
///
/// A poll sleeps until a message is there for it: each available message wakes one poll, the one
/// that has waited longest, and nobody else. Messages that become visible by the passing of time
/// are noticed by one poll, the timekeeper, which sleeps until then.
#[derive(Debug, Default)]
pub(super) struct Line {
    asleep: BTreeMap<Ticket, Arc<Notify>>,
    /// Polls that were woken and have not looked yet.
    woken: BTreeSet<Ticket>,
    timekeeper: Option<(Ticket, Timestamp)>,
}

impl Line {
    /// Joins the line, or goes back to an earlier place after having found nothing.
    pub(super) fn wait(&mut self, ticket: Ticket, notify: Arc<Notify>) {
        self.woken.remove(&ticket);
        self.asleep.insert(ticket, notify);
    }

    /// Leaves the line.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        self.woken.remove(&ticket);
        self.asleep.remove(&ticket);
        if self.timekeeper.is_some_and(|(keeper, _)| keeper == ticket) {
            self.timekeeper = None;
        }
    }

    /// Whether a message is there for this poll.
    pub(super) fn is_woken(&self, ticket: Ticket) -> bool {
        self.woken.contains(&ticket)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.asleep.is_empty() && self.woken.is_empty()
    }

    /// Wakes polls for what is available, and sees to it that somebody sleeps until
    /// `next_change`.
    pub(super) fn settle(&mut self, available: usize, next_change: Option<Timestamp>) {
        while self.woken.len() < available
            && let Some((ticket, notify)) = self.asleep.pop_first()
        {
            if self.timekeeper.is_some_and(|(keeper, _)| keeper == ticket) {
                self.timekeeper = None;
            }
            self.woken.insert(ticket);
            notify.notify_one();
        }
        let Some(next_change) = next_change else {
            return;
        };
        if let Some((keeper, until)) = self.timekeeper {
            if next_change < until {
                self.appoint(keeper, next_change);
            }
        } else if let Some(last) = self.asleep.keys().next_back().copied() {
            // The last to have come is the last to go, so the office seldom changes hands.
            self.appoint(last, next_change);
        }
    }

    /// When the queue is gone: everybody is to look.
    pub(super) fn wake_all(&mut self) {
        for notify in self.asleep.values() {
            notify.notify_one();
        }
    }

    /// Until when this poll sleeps unless it is woken: until its own wait ends, or as timekeeper
    /// until the queue next changes.
    pub(super) fn sleep_until(
        &mut self,
        ticket: Ticket,
        end: Timestamp,
        next_change: Option<Timestamp>,
    ) -> Timestamp {
        if self.timekeeper.is_none_or(|(keeper, _)| keeper != ticket) {
            return end;
        }
        let until = next_change.map_or(end, |change| change.min(end));
        self.timekeeper = next_change.map(|_| (ticket, until));
        until
    }

    fn appoint(&mut self, ticket: Ticket, until: Timestamp) {
        self.timekeeper = Some((ticket, until));
        if let Some(notify) = self.asleep.get(&ticket) {
            notify.notify_one();
        }
    }
}
