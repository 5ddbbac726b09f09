//! What a standard queue may do and on AWS seldom does: an experiment must ask for it to see it.

/// Faults of one queue, all off by default. A FIFO queue promises that none of them happens, so
/// it takes no notice of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueFaults {
    /// Each of the next so many messages that are handed out stays visible too, so that the next
    /// receiver gets it as well while the first still works on it. SQS: a visibility timeout is
    /// no promise against a second receive, because a storage server may have missed the first.
    pub duplicate_deliveries: u32,
    /// Each of the next so many deletes that would remove a message answers 200 and leaves it: it
    /// comes back when its visibility timeout ends. SQS DeleteMessage: a storage server that was
    /// out of reach keeps its copy.
    pub resurrected_deletes: u32,
    /// Messages are taken from a random place among the visible ones instead of the oldest first.
    /// SQS: order is best effort.
    pub reorder: bool,
    /// Each of the next so many short polls that would find a message returns none. SQS: a short
    /// poll asks only some of the servers. Long polls are not affected.
    pub missed_short_polls: u32,
}

/// How often the faults of one queue really happened. A fault that never fired proves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FaultTally {
    /// Messages received a second time because the first receive left them visible.
    pub duplicated: u64,
    /// Deletes that were answered with 200 and left the message.
    pub resurrected: u64,
    /// Messages handed out while an older one was visible.
    pub reordered: u64,
    /// Short polls that returned nothing although a message was visible.
    pub missed: u64,
}
