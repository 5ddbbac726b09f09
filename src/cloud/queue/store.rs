//! The messages of one queue, and the indexes that make every step cheap.

use std::collections::BTreeMap;

use crate::ports::{QueueDepth, Timestamp};

use super::handle::Receipt;
use super::message::{Message, State};
use super::ready::Ready;
use super::slab::Slab;

/// The messages of one queue.
///
/// Every message has a place in a slab and is in `by_age`; besides it is in `ready` while visible
/// and in `timed` while delayed or in flight. [`Store::turn`] is the one place that moves a
/// message from state to state.
#[derive(Debug)]
pub(super) struct Store {
    messages: Slab<Message>,
    /// By time of sending and serial number: the order in which messages expire.
    by_age: BTreeMap<(Timestamp, u64), u32>,
    /// By end of the delay or of the visibility timeout, and serial number.
    timed: BTreeMap<(Timestamp, u64), u32>,
    ready: Ready,
    depth: QueueDepth,
}

impl Store {
    pub(super) fn new(fifo: bool) -> Self {
        Self {
            messages: Slab::default(),
            by_age: BTreeMap::new(),
            timed: BTreeMap::new(),
            ready: Ready::new(fifo),
            depth: QueueDepth::default(),
        }
    }

    /// Takes a message in, in the state and until the time that it says.
    pub(super) fn insert(&mut self, message: Message) {
        let age = (message.sent_at, message.serial);
        let place = self.messages.insert(message);
        self.by_age.insert(age, place);
        self.enter(place);
    }

    /// Takes a message out, whatever its state.
    pub(super) fn remove(&mut self, place: u32) -> Option<Message> {
        self.leave(place);
        let message = self.messages.remove(place)?;
        self.by_age.remove(&(message.sent_at, message.serial));
        Some(message)
    }

    /// Moves a message to another state that lasts until `until` (no matter if visible).
    pub(super) fn turn(&mut self, place: u32, state: State, until: Timestamp) {
        self.leave(place);
        if let Some(message) = self.messages.get_mut(place) {
            message.state = state;
            message.until = until;
        }
        self.enter(place);
    }

    /// Shows what is hidden until `now` or earlier, and drops what was sent at `sent_before` or
    /// earlier; tells how many were dropped.
    pub(super) fn advance(&mut self, now: Timestamp, sent_before: Option<Timestamp>) -> u64 {
        let mut expired = 0;
        while let Some((&(sent_at, _), &place)) = self.by_age.first_key_value()
            && sent_before.is_some_and(|limit| sent_at <= limit)
        {
            self.remove(place);
            expired += 1;
        }
        while let Some((&(until, _), &place)) = self.timed.first_key_value()
            && until <= now
        {
            self.turn(place, State::Visible, until);
        }
        expired
    }

    /// The message of a receipt, if the queue still has it.
    pub(super) fn find(&self, receipt: Receipt) -> Option<&Message> {
        self.messages
            .get(receipt.place)
            .filter(|message| message.serial == receipt.serial)
    }

    pub(super) fn get(&self, place: u32) -> Option<&Message> {
        self.messages.get(place)
    }

    /// The message at a place. Its state, `until`, `serial` and `sent_at` are not to be changed.
    pub(super) fn get_mut(&mut self, place: u32) -> Option<&mut Message> {
        self.messages.get_mut(place)
    }

    pub(super) fn ready(&self) -> &Ready {
        &self.ready
    }

    pub(super) fn depth(&self) -> QueueDepth {
        debug_assert_eq!(self.depth.total(), self.messages.len() as u64);
        self.depth
    }

    /// When the next message becomes visible by itself.
    pub(super) fn next_shown(&self) -> Option<Timestamp> {
        self.timed.keys().next().map(|(until, _)| *until)
    }

    /// When the oldest message was sent.
    pub(super) fn oldest_sent(&self) -> Option<Timestamp> {
        self.by_age.keys().next().map(|(sent_at, _)| *sent_at)
    }

    /// The places of all messages, oldest first.
    pub(super) fn places(&self) -> Vec<u32> {
        self.by_age.values().copied().collect()
    }

    /// The places of the visible messages, oldest first.
    pub(super) fn visible_places(&self) -> Vec<u32> {
        let visible = |place: &u32| {
            let message = self.messages.get(*place);
            message.is_some_and(|message| message.state == State::Visible)
        };
        self.by_age.values().copied().filter(visible).collect()
    }

    /// Takes a message out of the index of its state.
    fn leave(&mut self, place: u32) {
        let Some(message) = self.messages.get(place) else {
            return;
        };
        let (serial, group) = (message.serial, message.group_id());
        match message.state {
            State::Visible => {
                self.ready.hide(serial, group);
                self.depth.visible -= 1;
            }
            State::Delayed => {
                self.timed.remove(&(message.until, serial));
                self.depth.delayed -= 1;
            }
            State::InFlight => {
                self.timed.remove(&(message.until, serial));
                self.ready.leave_flight(group);
                self.depth.in_flight -= 1;
            }
        }
    }

    /// Puts a message into the index of its state.
    fn enter(&mut self, place: u32) {
        let Some(message) = self.messages.get(place) else {
            return;
        };
        let (serial, group) = (message.serial, message.group_id());
        match message.state {
            State::Visible => {
                self.ready.show(serial, place, group);
                self.depth.visible += 1;
            }
            State::Delayed => {
                self.timed.insert((message.until, serial), place);
                self.depth.delayed += 1;
            }
            State::InFlight => {
                self.timed.insert((message.until, serial), place);
                self.ready.enter_flight(group);
                self.depth.in_flight += 1;
            }
        }
    }
}
