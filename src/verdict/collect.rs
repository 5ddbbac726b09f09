//! Gathers the evidence of a run through the ports.

use std::collections::BTreeMap;

use super::cost::Usage;
use super::evidence::{ChargesRow, Evidence, FaultFired, LedgerTotals, Witness};
use super::queries::{CHARGES, EVENTS_BY_TYPE};
use super::reader::Reader;
use super::record::RunRecord;
use crate::event::EventType;
use crate::ports::{Caller, Claims, Log, PortError, QueryTable, Queue, TimeRange, Timestamp};
use crate::worker::GuardName;

/// Where evidence is looked for.
pub struct Sources<'a> {
    /// The queue that the copies were sent to.
    pub queue: &'a dyn Queue,
    /// Its dead-letter queue, if it has one.
    pub dead_letter_queue: Option<&'a dyn Queue>,
    /// The claim table.
    pub claims: &'a dyn Claims,
    /// The function's log group.
    pub log: &'a dyn Log,
}

/// What only the embedded cloud can tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Embedded {
    /// The independent ledger.
    pub ledger: Option<LedgerTotals>,
    /// What table and queue were asked for.
    pub usage: Option<Usage>,
    /// What the wire saw.
    pub witness: Option<Witness>,
    /// Every fault rule that was in force.
    pub faults: Vec<FaultFired>,
    /// The present.
    pub gathered_at: Option<Timestamp>,
}

/// Gathers what a run left behind.
///
/// # Errors
/// The [`PortError`] of the call that failed.
pub async fn collect(
    record: &RunRecord,
    sources: &Sources<'_>,
    embedded: Embedded,
) -> Result<Evidence, PortError> {
    let by = &Caller::Observer;
    let query = |named: super::queries::NamedQuery| named.for_run(Some(&record.run));
    let events = sources
        .log
        .query(by, &query(EVENTS_BY_TYPE), TimeRange::ALL)
        .await?;
    let charges = sources
        .log
        .query(by, &query(CHARGES), TimeRange::ALL)
        .await?;
    let mut reader = Reader::new(&record.run, &record.message_ids);
    sources
        .log
        .read(by, TimeRange::ALL, &mut |line| reader.read(line))
        .await?;
    let order_id = record.order.order_id.as_str();
    let mut items = sources.claims.scan(by).await?;
    items.retain(|item| GuardName::order_of(item) == Some(order_id));
    let dead_letters = match sources.dead_letter_queue {
        Some(queue) => queue.depth(by).await?.total(),
        None => 0,
    };
    Ok(Evidence {
        events: events_by_type(&events)?,
        charges: charges_row(&charges)?,
        read_back: reader.finish(),
        items,
        ledger: embedded.ledger,
        depth: sources.queue.depth(by).await?,
        dead_letters,
        fifo: sources.queue.settings(by).await?.fifo,
        usage: embedded.usage,
        witness: embedded.witness,
        faults: embedded.faults,
        gathered_at: embedded.gathered_at,
    })
}

/// An answer that does not have the asked columns was not evaluated: never take it for zero.
fn unusable(table: &QueryTable) -> PortError {
    PortError::rejected(
        "StartQuery",
        "UnusableAnswer",
        format!(
            "the answer has the columns [{}], not those that were asked for",
            table.columns.join(", ")
        ),
    )
}

fn column(table: &QueryTable, name: &str) -> Result<usize, PortError> {
    table
        .columns
        .iter()
        .position(|column| column == name)
        .ok_or_else(|| unusable(table))
}

fn number(table: &QueryTable, row: &[Option<String>], index: usize) -> Result<u64, PortError> {
    row.get(index)
        .and_then(|value| value.as_deref())
        .and_then(|value| value.parse().ok())
        .ok_or_else(|| unusable(table))
}

fn events_by_type(table: &QueryTable) -> Result<BTreeMap<EventType, u64>, PortError> {
    if table.rows.is_empty() {
        return Ok(BTreeMap::new());
    }
    let (name, count) = (column(table, "eventType")?, column(table, "events")?);
    let mut events = BTreeMap::new();
    for row in &table.rows {
        let found = EventType::ALL
            .into_iter()
            .find(|event_type| row[name].as_deref() == Some(event_type.name()));
        if let Some(event_type) = found {
            events.insert(event_type, number(table, row, count)?);
        }
    }
    Ok(events)
}

/// No row and a row of zeros both mean that nothing matched: AWS does not say which of the two its
/// service answers.
fn charges_row(table: &QueryTable) -> Result<ChargesRow, PortError> {
    let Some(row) = table.rows.first() else {
        return Ok(ChargesRow::default());
    };
    let value = |name| number(table, row, column(table, name)?);
    Ok(ChargesRow {
        charges: value("charges")?,
        orders: value("orders")?,
        messages: value("messages")?,
    })
}
