//! What can happen to a call between the consumer and its table or till.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use lab::ports::{
    Caller, Charge, Claims, Clock, Condition, ErrorKind, Item, PortError, Receipt, Till,
    WriteOutcome,
};

/// A call of the consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Call {
    Get,
    Put,
    Update,
    Delete,
    PutAll,
    Charge,
}

/// What happens to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The caller dies before the call is applied.
    KillBefore,
    /// The caller dies after the call was applied.
    KillAfter,
    /// Applied, the answer is lost, and the SDK makes the call again.
    LostAnswerAndRetry,
    /// Applied, and the caller never learns of it.
    LostAnswer,
    /// Not applied: the service asks to come back later.
    Throttled,
    /// Applied only after a while.
    Delayed(Duration),
    /// An eventually consistent read sees nothing yet. A consistent one is not touched.
    NotYetVisible,
}

/// The faults that are armed, each for the nth call of its kind, and the adapter that they hit.
pub(crate) struct Faulty {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) claims: Arc<dyn Claims>,
    pub(crate) till: Arc<dyn Till>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    calls: BTreeMap<Call, usize>,
    armed: Vec<(Call, usize, Fault)>,
}

impl Faulty {
    pub(crate) fn new(clock: Arc<dyn Clock>, claims: Arc<dyn Claims>, till: Arc<dyn Till>) -> Self {
        Self {
            clock,
            claims,
            till,
            state: Mutex::default(),
        }
    }

    /// Arms a fault for the nth call of that kind from the beginning, counted from 1.
    pub(crate) fn arm(&self, call: Call, nth: usize, fault: Fault) {
        let mut state = self.state.lock().expect("not poisoned");
        state.armed.push((call, nth, fault));
    }

    /// How many calls of that kind there were.
    pub(crate) fn calls(&self, call: Call) -> usize {
        let state = self.state.lock().expect("not poisoned");
        state.calls.get(&call).copied().unwrap_or_default()
    }

    /// Faults that no call has met: a test that has one has not tested what it says.
    pub(crate) fn left(&self) -> usize {
        self.state.lock().expect("not poisoned").armed.len()
    }

    fn next(&self, call: Call) -> Option<Fault> {
        let mut state = self.state.lock().expect("not poisoned");
        let number = {
            let calls = state.calls.entry(call).or_default();
            *calls += 1;
            *calls
        };
        let hit = |armed: &(Call, usize, Fault)| (armed.0, armed.1) == (call, number);
        let index = state.armed.iter().position(hit)?;
        Some(state.armed.remove(index).2)
    }

    async fn before(&self, call: Call, by: &Caller) -> Result<Option<Fault>, PortError> {
        let fault = self.next(call);
        match fault {
            Some(Fault::KillBefore) => kill(by).await,
            Some(Fault::Throttled) => Err(error(call, ErrorKind::Throttled)),
            Some(Fault::Delayed(duration)) => {
                self.clock.sleep(duration).await;
                Ok(fault)
            }
            _ => Ok(fault),
        }
    }

    async fn after(&self, call: Call, fault: Option<Fault>, by: &Caller) -> Result<(), PortError> {
        match fault {
            Some(Fault::KillAfter) => kill(by).await,
            Some(Fault::LostAnswer) => Err(error(call, ErrorKind::NoAnswer)),
            _ => Ok(()),
        }
    }
}

/// Ends the caller's process. The call does not return: its future is dropped by the host.
async fn kill<T>(by: &Caller) -> T {
    let Caller::Invocation(invocation) = by else {
        panic!("only an invocation can be killed");
    };
    invocation.kill();
    std::future::pending().await
}

fn error(call: Call, kind: ErrorKind) -> PortError {
    let (operation, code) = match (call, kind) {
        (Call::Charge, ErrorKind::Throttled) => ("Charge", "TooManyRequests"),
        (Call::Charge, _) => ("Charge", "RequestTimeout"),
        (Call::Put, ErrorKind::Throttled) => ("PutItem", "ThrottlingException"),
        (Call::Update, ErrorKind::Throttled) => ("UpdateItem", "ThrottlingException"),
        (Call::Delete, ErrorKind::Throttled) => ("DeleteItem", "ThrottlingException"),
        (Call::PutAll, ErrorKind::Throttled) => ("TransactWriteItems", "ThrottlingException"),
        _ => ("Call", "RequestTimeout"),
    };
    PortError {
        operation,
        kind,
        code: code.to_owned(),
        message: "on purpose".to_owned(),
    }
}

const RETRY: Option<Fault> = Some(Fault::LostAnswerAndRetry);

#[async_trait]
impl Claims for Faulty {
    async fn get(
        &self,
        by: &Caller,
        key: &str,
        consistent: bool,
    ) -> Result<Option<Item>, PortError> {
        let fault = self.before(Call::Get, by).await?;
        let found = self.claims.get(by, key, consistent).await;
        self.after(Call::Get, fault, by).await?;
        if fault == Some(Fault::NotYetVisible) && !consistent {
            return Ok(None);
        }
        found
    }

    async fn put(
        &self,
        by: &Caller,
        item: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let fault = self.before(Call::Put, by).await?;
        let mut outcome = self.claims.put(by, item.clone(), condition.clone()).await;
        if fault == RETRY {
            outcome = self.claims.put(by, item, condition).await;
        }
        self.after(Call::Put, fault, by).await?;
        outcome
    }

    async fn update(
        &self,
        by: &Caller,
        key: &str,
        set: Item,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let fault = self.before(Call::Update, by).await?;
        let first = self
            .claims
            .update(by, key, set.clone(), condition.clone())
            .await;
        let outcome = match fault == RETRY {
            true => self.claims.update(by, key, set, condition).await,
            false => first,
        };
        self.after(Call::Update, fault, by).await?;
        outcome
    }

    async fn delete(
        &self,
        by: &Caller,
        key: &str,
        condition: Condition,
    ) -> Result<WriteOutcome, PortError> {
        let fault = self.before(Call::Delete, by).await?;
        let mut outcome = self.claims.delete(by, key, condition.clone()).await;
        if fault == RETRY {
            outcome = self.claims.delete(by, key, condition).await;
        }
        self.after(Call::Delete, fault, by).await?;
        outcome
    }

    async fn put_all(
        &self,
        by: &Caller,
        puts: Vec<(Item, Condition)>,
    ) -> Result<Vec<WriteOutcome>, PortError> {
        let fault = self.before(Call::PutAll, by).await?;
        let mut outcomes = self.claims.put_all(by, puts.clone()).await;
        if fault == RETRY {
            outcomes = self.claims.put_all(by, puts).await;
        }
        self.after(Call::PutAll, fault, by).await?;
        outcomes
    }

    async fn scan(&self, by: &Caller) -> Result<Vec<Item>, PortError> {
        self.claims.scan(by).await
    }
}

#[async_trait]
impl Till for Faulty {
    async fn charge(&self, by: &Caller, charge: Charge) -> Result<Receipt, PortError> {
        let fault = self.before(Call::Charge, by).await?;
        let mut receipt = self.till.charge(by, charge.clone()).await;
        if fault == RETRY {
            receipt = self.till.charge(by, charge).await;
        }
        self.after(Call::Charge, fault, by).await?;
        receipt
    }
}
