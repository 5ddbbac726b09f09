//! The messages of a queue that can be received now, in the order in which they are handed out.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Visible messages: serial number to place.
type Visible = BTreeMap<u64, u32>;

/// What can be received now.
#[derive(Debug)]
pub(super) enum Ready {
    /// A standard queue: the oldest first, for want of a promise.
    Standard(Visible),
    /// A FIFO queue: in order within each group.
    Fifo(Groups),
}

impl Ready {
    pub(super) fn new(fifo: bool) -> Self {
        if fifo {
            Self::Fifo(Groups::default())
        } else {
            Self::Standard(Visible::new())
        }
    }

    /// A message has become visible.
    pub(super) fn show(&mut self, serial: u64, place: u32, group: Option<&Arc<str>>) {
        match self {
            Self::Standard(visible) => {
                visible.insert(serial, place);
            }
            Self::Fifo(groups) => groups.change(group, |group| {
                group.visible.insert(serial, place);
            }),
        }
    }

    /// A message is visible no longer.
    pub(super) fn hide(&mut self, serial: u64, group: Option<&Arc<str>>) {
        match self {
            Self::Standard(visible) => {
                visible.remove(&serial);
            }
            Self::Fifo(groups) => groups.change(group, |group| {
                group.visible.remove(&serial);
            }),
        }
    }

    /// A message is in flight: its group has to wait for it.
    pub(super) fn enter_flight(&mut self, group: Option<&Arc<str>>) {
        if let Self::Fifo(groups) = self {
            groups.change(group, |group| group.in_flight += 1);
        }
    }

    /// A message is in flight no longer.
    pub(super) fn leave_flight(&mut self, group: Option<&Arc<str>>) {
        if let Self::Fifo(groups) = self {
            groups.change(group, |group| group.in_flight -= 1);
        }
    }

    /// How many receives for one message could succeed at once: visible messages, or groups that
    /// do not wait.
    pub(super) fn available(&self) -> usize {
        match self {
            Self::Standard(visible) => visible.len(),
            Self::Fifo(groups) => groups.ready.len(),
        }
    }

    /// Adds the places of the next messages, at most `limit` and as many as may go together: of
    /// a FIFO queue the first messages of one group (SQS developer guide: it returns as many of
    /// one group as it can).
    pub(super) fn next(&self, limit: usize, into: &mut Vec<u32>) {
        match self {
            Self::Standard(visible) => into.extend(visible.values().take(limit)),
            Self::Fifo(groups) => {
                let first = groups.ready.values().next();
                if let Some(group) = first.and_then(|name| groups.by_name.get(name)) {
                    into.extend(group.visible.values().take(limit));
                }
            }
        }
    }

    /// Adds the place of a visible message of a standard queue, chosen by a random number, and
    /// tells whether an older one was passed over.
    pub(super) fn any(&self, random: u64, into: &mut Vec<u32>) -> bool {
        let Self::Standard(visible) = self else {
            return false;
        };
        let (Some((first, _)), Some((last, _))) =
            (visible.first_key_value(), visible.last_key_value())
        else {
            return false;
        };
        let from = first + random % (last - first + 1);
        let Some((chosen, place)) = visible.range(from..).next() else {
            return false;
        };
        into.push(*place);
        chosen != first
    }
}

/// The message groups of a FIFO queue that have visible messages or messages in flight.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_name: HashMap<Arc<str>, Group>,
    /// Groups that can be received from, by the serial number of their first message.
    ready: BTreeMap<u64, Arc<str>>,
}

#[derive(Debug, Default)]
struct Group {
    visible: Visible,
    in_flight: u32,
    /// The key under which the group is in `ready`.
    ready_at: Option<u64>,
}

impl Groups {
    /// Changes a group and puts it where it now belongs.
    fn change(&mut self, name: Option<&Arc<str>>, change: impl FnOnce(&mut Group)) {
        let name = name.expect("every message of a FIFO queue has a group");
        let group = self.by_name.entry(Arc::clone(name)).or_default();
        change(group);
        let first = group.visible.keys().next().copied();
        let ready_at = first.filter(|_| group.in_flight == 0);
        if group.ready_at != ready_at {
            if let Some(old) = group.ready_at {
                self.ready.remove(&old);
            }
            if let Some(new) = ready_at {
                self.ready.insert(new, Arc::clone(name));
            }
            group.ready_at = ready_at;
        }
        if group.visible.is_empty() && group.in_flight == 0 {
            self.by_name.remove(name);
        }
    }
}
