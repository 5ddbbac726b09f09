//! Runs the consumer as Lambda runs a function: execution environments that are reused, a request
//! id for each invocation, a timeout, and the platform's own lines around the function's.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;

use super::console::Console;
use super::delivery::Services;
use super::function::{Function, InvokeOutcome};
use super::guard::{Guard, GuardName, GuardSettings};
use super::handler::{Context, Handler};
use crate::entropy::Entropy;
use crate::ports::{Caller, Claims, Clock, Invocation, Log, Till, Timestamp};

/// Memory that the REPORT line names. The embedded function is not metered, so both of its memory
/// figures are this setting.
const MEMORY_MB: u32 = 128;

/// The function's configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostSettings {
    /// The guard in force (the article's `IDEMPOTENCY` switch).
    pub guard: GuardName,
    /// How long a charge takes (`WORK_MS`).
    pub work: Duration,
    /// Function timeout: Lambda's default is 3 s, the most is 900 s.
    pub timeout: Duration,
    /// Reserved concurrency; 0 switches the function off, `None` leaves it unlimited.
    pub reserved_concurrency: Option<usize>,
    /// Whether the consumer answers with `batchItemFailures`.
    pub report_batch_item_failures: bool,
}

/// The ports that the function and its platform use.
#[derive(Clone)]
pub struct HostPorts {
    /// The claim table.
    pub claims: Arc<dyn Claims>,
    /// Where the lines go.
    pub log: Arc<dyn Log>,
    /// Where the effect lands.
    pub till: Arc<dyn Till>,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// One execution environment: a process that handles one event at a time.
struct Environment {
    stream: Arc<str>,
    /// The process that waits for the next event; `None` if the next invocation must start one.
    process: Option<Process>,
}

/// What lives as long as a process does: the guard, with all that it remembers.
struct Process {
    guard: Box<dyn Guard>,
}

/// The platform that runs the consumer.
pub struct Host {
    handler: Handler,
    settings: HostSettings,
    guard_settings: GuardSettings,
    ports: HostPorts,
    entropy: Arc<Entropy>,
    idle: Mutex<Vec<Environment>>,
    running: AtomicUsize,
    invocations: AtomicU32,
}

/// How the process ended, seen from outside.
enum Ending {
    Returned(Result<String, super::HandlerError>),
    Killed,
    TimedOut,
}

impl Host {
    /// A function that is ready to be invoked.
    pub fn new(settings: HostSettings, ports: HostPorts, entropy: Arc<Entropy>) -> Self {
        let services = Services {
            claims: Arc::clone(&ports.claims),
            till: Arc::clone(&ports.till),
            clock: Arc::clone(&ports.clock),
            work: settings.work,
        };
        let handler = Handler {
            services,
            guard_name: settings.guard,
            report_batch_item_failures: settings.report_batch_item_failures,
        };
        Self {
            handler,
            settings,
            guard_settings: GuardSettings::default(),
            ports,
            entropy,
            idle: Mutex::default(),
            running: AtomicUsize::new(0),
            invocations: AtomicU32::new(0),
        }
    }

    /// Turns the knobs of the guard.
    #[must_use]
    pub fn with_guard_settings(mut self, guard_settings: GuardSettings) -> Self {
        self.guard_settings = guard_settings;
        self
    }

    /// Invocations so far.
    pub fn invocations(&self) -> u32 {
        self.invocations.load(Ordering::SeqCst)
    }

    /// The environment that was used last, or a new one.
    fn take_environment(&self) -> Environment {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.pop().unwrap_or_else(|| {
            let date = self.ports.clock.now().to_string()[..10].replace('-', "/");
            Environment {
                stream: format!("{date}/[$LATEST]{}", self.entropy.hex32()).into(),
                process: None,
            }
        })
    }

    fn return_environment(&self, environment: Environment) {
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(environment);
    }

    async fn run(&self, event: &str) -> InvokeOutcome {
        let number = self.invocations.fetch_add(1, Ordering::SeqCst) + 1;
        let invocation = Arc::new(Invocation::new(number, self.entropy.uuid()));
        let mut environment = self.take_environment();
        let console = Console {
            log: Arc::clone(&self.ports.log),
            clock: Arc::clone(&self.ports.clock),
            stream: Arc::clone(&environment.stream),
            request_id: invocation.request_id.clone(),
        };
        let process = environment
            .process
            .take()
            .unwrap_or_else(|| self.start_process(&console));
        let started = self.ports.clock.now();
        console.platform(format!(
            "START RequestId: {} Version: $LATEST",
            console.request_id
        ));
        let ending = {
            let context = Context {
                caller: &Caller::Invocation(Arc::clone(&invocation)),
                console: &console,
                deadline: started + self.settings.timeout,
                guard: &*process.guard,
            };
            let handling = self.handler.handle(event, &context);
            tokio::select! {
                biased;
                () = invocation.killed() => Ending::Killed,
                returned = handling => Ending::Returned(returned),
                () = self.ports.clock.sleep(self.settings.timeout) => Ending::TimedOut,
            }
        };
        // After a crash or a timeout the environment stays and its process starts anew.
        environment.process = matches!(ending, Ending::Returned(_)).then_some(process);
        let outcome = self.conclude(ending, &console);
        self.print_end(&console, started, &outcome);
        self.return_environment(environment);
        outcome
    }

    /// A cold start.
    fn start_process(&self, console: &Console) -> Process {
        console.platform(init_start());
        Process {
            guard: self.settings.guard.build(&self.guard_settings),
        }
    }

    /// Prints what the platform prints about an ending that is not a plain return.
    fn conclude(&self, ending: Ending, console: &Console) -> InvokeOutcome {
        match ending {
            Ending::Returned(Ok(answer)) => InvokeOutcome::Answered(answer),
            Ending::Returned(Err(error)) => {
                console.error(format_args!(
                    "Invoke Error \t{}",
                    serde_json::json!({
                        "errorType": error.error_type,
                        "errorMessage": error.message,
                    })
                ));
                InvokeOutcome::Failed {
                    error_type: error.error_type,
                    message: error.message,
                }
            }
            Ending::Killed => {
                let message = format!(
                    "RequestId: {} Error: Runtime exited without providing a reason",
                    console.request_id
                );
                console.platform(format!("{message}\nRuntime.ExitError"));
                InvokeOutcome::Failed {
                    error_type: "Runtime.ExitError".to_owned(),
                    message,
                }
            }
            Ending::TimedOut => {
                console.platform(format!(
                    "{} {} Task timed out after {:.2} seconds",
                    self.ports.clock.now(),
                    console.request_id,
                    self.settings.timeout.as_secs_f64()
                ));
                InvokeOutcome::TimedOut
            }
        }
    }

    fn print_end(&self, console: &Console, started: Timestamp, outcome: &InvokeOutcome) {
        let id = &console.request_id;
        let duration_millis = self.ports.clock.now().since(started).as_millis();
        let status = match outcome {
            InvokeOutcome::Answered(_) => String::new(),
            InvokeOutcome::TimedOut => "Status: timeout\t".to_owned(),
            InvokeOutcome::Throttled => unreachable!("a throttled invocation does not run"),
            InvokeOutcome::Failed { error_type, .. } => {
                format!("Status: error\tError Type: {error_type}\t")
            }
        };
        console.platform(format!("END RequestId: {id}"));
        console.platform(format!(
            "REPORT RequestId: {id}\tDuration: {duration_millis}.00 ms\tBilled Duration: {duration_millis} ms\t\
             Memory Size: {MEMORY_MB} MB\tMax Memory Used: {MEMORY_MB} MB\t{status}"
        ));
    }
}

/// The first line of a cold start. It names what really runs: this worker, not a Node.js runtime.
fn init_start() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("INIT_START Runtime Version: lab:{version}\tRuntime Version ARN: lab:embedded")
}

/// Gives the slot back even if the invocation's future is dropped.
struct Slot<'a>(&'a AtomicUsize);

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Function for Host {
    async fn invoke(&self, event: &str) -> InvokeOutcome {
        let running = self.running.fetch_add(1, Ordering::SeqCst) + 1;
        let _slot = Slot(&self.running);
        match self.settings.reserved_concurrency {
            Some(most) if running > most => InvokeOutcome::Throttled,
            _ => self.run(event).await,
        }
    }
}
