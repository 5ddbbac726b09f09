//! The pollers: how many there are, and what each does with its batch.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::batch::{gather, split_by_payload};
use super::event::event_json;
use super::outcome::{BatchOutcome, FailureReason};
use super::settings::{FunctionLimits, MappingSettings};
use crate::failure::Failure;
use crate::ports::{Caller, Clock, Queue, QueueSettings, ReceiptHandle, Received, Timestamp};
use crate::worker::{Function, InvokeOutcome};

/// How often the number of pollers is looked at.
const SCALING_INTERVAL: Duration = Duration::from_secs(1);
/// Most entries of a DeleteMessageBatch.
const DELETE_BATCH: usize = 10;
/// Pause after a receive that failed, so that an endpoint that is down is not hammered.
const RECEIVE_ERROR_PAUSE: Duration = Duration::from_secs(1);

/// What a mapping has done so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MappingStatistics {
    /// Batches that were handed to the function.
    pub batches: u64,
    /// Batches that came back as a whole, by reason.
    pub failed_batches: BTreeMap<FailureReason, u64>,
    /// Messages that the function reported as failed.
    pub reported_failures: u64,
    /// Messages whose deletion failed.
    pub failed_deletes: u64,
    /// Receives that failed.
    pub failed_receives: u64,
    /// The text of the last failed call to the queue.
    pub last_error: Option<String>,
    /// Most pollers at one time.
    pub peak_concurrency: usize,
}

/// An enabled mapping between one queue and one function.
pub struct Mapping {
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    controller: JoinHandle<()>,
}

struct Shared {
    queue: Arc<dyn Queue>,
    function: Arc<dyn Function>,
    clock: Arc<dyn Clock>,
    settings: MappingSettings,
    queue_settings: QueueSettings,
    visibility_override: Option<Duration>,
    pollers: AtomicUsize,
    /// The pollers that wait for messages, and since when: over several empty receives.
    waiting: Mutex<HashMap<usize, Timestamp>>,
    statistics: Mutex<MappingStatistics>,
}

impl Mapping {
    /// Creates the mapping and enables it.
    ///
    /// # Errors
    /// A usage [`Failure`] for parameters that AWS refuses, an environment one if the queue cannot
    /// be reached.
    pub async fn start(
        queue: Arc<dyn Queue>,
        function: Arc<dyn Function>,
        clock: Arc<dyn Clock>,
        settings: MappingSettings,
        limits: FunctionLimits,
    ) -> Result<Self, Failure> {
        let queue_settings = queue
            .settings(&Caller::Mapping)
            .await
            .map_err(|error| Failure::environment(error.to_string()))?;
        settings.validate(&queue_settings, limits)?;
        let shared = Arc::new(Shared {
            visibility_override: settings.visibility_override(&queue_settings, limits),
            queue,
            function,
            clock,
            settings,
            queue_settings,
            pollers: AtomicUsize::new(0),
            waiting: Mutex::default(),
            statistics: Mutex::default(),
        });
        let (stop, stopped) = watch::channel(false);
        let controller = tokio::spawn(control(Arc::clone(&shared), stopped));
        Ok(Self {
            shared,
            stop,
            controller,
        })
    }

    /// What it has done so far.
    pub fn statistics(&self) -> MappingStatistics {
        self.shared.lock().clone()
    }

    /// Stops polling and waits until every batch that was received has been dealt with.
    pub async fn stop(self) -> MappingStatistics {
        // Nobody listens any more if the controller has already ended; that is as good.
        let _ = self.stop.send(true);
        if let Err(error) = self.controller.await
            && error.is_panic()
        {
            std::panic::resume_unwind(error.into_panic());
        }
        self.shared.lock().clone()
    }
}

/// Starts the first pollers, adds more while the queue has messages for all of them, and waits for
/// them in the end.
async fn control(shared: Arc<Shared>, mut stopped: watch::Receiver<bool>) {
    let mut pollers = tokio::task::JoinSet::new();
    let mut enlisted = 0;
    let mut grow =
        |pollers: &mut tokio::task::JoinSet<()>, count: usize, stopped: &watch::Receiver<bool>| {
            let most = shared.settings.maximum_concurrency;
            let room = most.saturating_sub(shared.pollers.load(Ordering::SeqCst));
            for _ in 0..count.min(room) {
                enlisted += 1;
                shared.enlist();
                pollers.spawn(poll(Arc::clone(&shared), enlisted, stopped.clone()));
            }
        };
    grow(&mut pollers, shared.settings.initial_concurrency, &stopped);
    let per_interval = (shared.settings.concurrency_growth_per_minute as f64
        * SCALING_INTERVAL.as_secs_f64()
        / 60.0)
        .round() as usize;
    loop {
        tokio::select! {
            biased;
            _ = stopped.wait_for(|stop| *stop) => break,
            () = shared.clock.sleep(SCALING_INTERVAL) => {}
        }
        if !shared.has_idle_poller() {
            grow(&mut pollers, per_interval, &stopped);
        }
        while let Some(ended) = pollers.try_join_next() {
            resume_panic(ended);
        }
    }
    while let Some(ended) = pollers.join_next().await {
        resume_panic(ended);
    }
}

fn resume_panic(ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        std::panic::resume_unwind(error.into_panic());
    }
}

/// One poller: receives, invokes, deletes, one batch at a time. It ends when it finds nothing and
/// there are more pollers than a quiet queue needs.
async fn poll(shared: Arc<Shared>, number: usize, mut stopped: watch::Receiver<bool>) {
    loop {
        let gathering = gather(
            &*shared.queue,
            &*shared.clock,
            &shared.settings,
            shared.visibility_override,
        );
        shared
            .waiting()
            .entry(number)
            .or_insert_with(|| shared.clock.now());
        let gathered = tokio::select! {
            biased;
            _ = stopped.wait_for(|stop| *stop) => break,
            gathered = gathering => gathered,
        };
        if gathered.as_ref().is_ok_and(|batch| !batch.is_empty()) {
            shared.waiting().remove(&number);
        }
        match gathered {
            Ok(batch) if batch.is_empty() => {
                if shared.pollers.load(Ordering::SeqCst) > shared.settings.initial_concurrency {
                    break;
                }
            }
            Ok(batch) => {
                let received_at = shared.clock.now();
                for part in split_by_payload(batch) {
                    shared.deliver(part, received_at).await;
                }
            }
            Err(error) => {
                {
                    let mut statistics = shared.lock();
                    statistics.failed_receives += 1;
                    statistics.last_error = Some(error.to_string());
                }
                tokio::select! {
                    biased;
                    _ = stopped.wait_for(|stop| *stop) => break,
                    () = shared.clock.sleep(RECEIVE_ERROR_PAUSE) => {}
                }
            }
        }
    }
    shared.waiting().remove(&number);
    shared.pollers.fetch_sub(1, Ordering::SeqCst);
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, MappingStatistics> {
        self.statistics
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<usize, Timestamp>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a poller has waited for messages since the last look: one more would wait too.
    fn has_idle_poller(&self) -> bool {
        let now = self.clock.now();
        self.waiting()
            .values()
            .any(|since| now.since(*since) >= SCALING_INTERVAL)
    }

    fn enlist(&self) {
        let pollers = self.pollers.fetch_add(1, Ordering::SeqCst) + 1;
        let mut statistics = self.lock();
        statistics.peak_concurrency = statistics.peak_concurrency.max(pollers);
    }

    /// Hands a batch to the function and settles it by the answer.
    async fn deliver(&self, batch: Vec<Received>, received_at: Timestamp) {
        let event = event_json(&batch, &self.queue_settings.arn);
        let invocation = self.invoke(&event, received_at).await;
        let outcome = BatchOutcome::of(
            &invocation,
            &batch,
            self.settings.report_batch_item_failures,
        );
        self.count(&outcome);
        let done: Vec<ReceiptHandle> = match &outcome {
            BatchOutcome::Succeeded => handles(&batch, |_| true),
            BatchOutcome::Partly(failed) => handles(&batch, |position| !failed.contains(&position)),
            BatchOutcome::Failed(_) => Vec::new(),
        };
        for handles in done.chunks(DELETE_BATCH) {
            self.delete(handles).await;
        }
        if outcome != BatchOutcome::Succeeded {
            self.clock.sleep(self.settings.error_pause).await;
        }
    }

    /// Invokes the function. A throttled invocation is tried again until the messages are visible
    /// again; their receive count is spent by then (Lambda, "Error handling for an SQS source").
    async fn invoke(&self, event: &str, received_at: Timestamp) -> InvokeOutcome {
        let hidden_for = self
            .visibility_override
            .unwrap_or(self.queue_settings.visibility_timeout);
        loop {
            let outcome = self.function.invoke(event).await;
            let visible_again =
                self.clock.now() + self.settings.throttle_pause >= received_at + hidden_for;
            if outcome != InvokeOutcome::Throttled || visible_again {
                return outcome;
            }
            self.clock.sleep(self.settings.throttle_pause).await;
        }
    }

    async fn delete(&self, handles: &[ReceiptHandle]) {
        let result = self.queue.delete_batch(&Caller::Mapping, handles).await;
        let mut statistics = self.lock();
        match result {
            Ok(failures) => {
                statistics.failed_deletes += failures.len() as u64;
                if let Some(failure) = failures.last() {
                    statistics.last_error = Some(failure.message.clone());
                }
            }
            Err(error) => {
                statistics.failed_deletes += handles.len() as u64;
                statistics.last_error = Some(error.to_string());
            }
        }
    }

    fn count(&self, outcome: &BatchOutcome) {
        let mut statistics = self.lock();
        statistics.batches += 1;
        match outcome {
            BatchOutcome::Succeeded => {}
            BatchOutcome::Partly(failed) => statistics.reported_failures += failed.len() as u64,
            BatchOutcome::Failed(reason) => {
                *statistics.failed_batches.entry(reason.clone()).or_default() += 1;
            }
        }
    }
}

fn handles(batch: &[Received], keep: impl Fn(usize) -> bool) -> Vec<ReceiptHandle> {
    batch
        .iter()
        .enumerate()
        .filter(|(position, _)| keep(*position))
        .map(|(_, message)| message.receipt_handle.clone())
        .collect()
}
