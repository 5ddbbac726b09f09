//! Who makes a port call.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// The party on whose behalf a port call is made.
#[derive(Clone, Debug)]
pub enum Caller {
    /// The program that sends orders to the queue.
    Producer,
    /// The event source mapping: it receives, invokes and deletes.
    Mapping,
    /// One invocation of the consumer.
    Invocation(Arc<Invocation>),
    /// The lab itself, gathering evidence. Never subject to faults.
    Observer,
}

/// One invocation of the consumer: a single run of the function for a single batch.
#[derive(Debug)]
pub struct Invocation {
    /// Position in the order of invocations of this stack, from 1.
    pub number: u32,
    /// The Lambda request id: a UUID, new for every invocation.
    pub request_id: String,
    killed: AtomicBool,
    kill: Notify,
}

impl Invocation {
    /// A running invocation.
    pub fn new(number: u32, request_id: String) -> Self {
        Self {
            number,
            request_id,
            killed: AtomicBool::new(false),
            kill: Notify::new(),
        }
    }

    /// Ends the process that runs this invocation, as `SIGKILL` would: none of its code runs again.
    ///
    /// The host that awaits [`Invocation::killed`] drops the consumer's future. A fault adapter
    /// that kills a caller must not let the call return.
    pub fn kill(&self) {
        self.killed.store(true, Ordering::SeqCst);
        self.kill.notify_one();
    }

    /// Resolves when the invocation has been killed. Meant for one waiter, its host.
    pub async fn killed(&self) {
        while !self.killed.load(Ordering::SeqCst) {
            self.kill.notified().await;
        }
    }
}
