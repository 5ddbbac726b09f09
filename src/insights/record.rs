//! What a query reads: records, and the sources that show them.

use std::fmt;
use std::ops::ControlFlow;

/// One log event, as the source holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Event time, milliseconds since 1970 (`@timestamp`).
    pub timestamp_millis: i64,
    /// When the service took it in, milliseconds since 1970 (`@ingestionTime`).
    pub ingestion_millis: i64,
    /// `<account>:<group>` (`@log`).
    pub log: &'a str,
    /// `@logStream`.
    pub stream: &'a str,
    /// `@message`.
    pub message: &'a str,
    /// By what the source finds the event again; shown in `@ptr`.
    pub pointer: u64,
}

impl<'a> Record<'a> {
    /// A record of which only the message matters.
    pub const fn message(message: &'a str) -> Self {
        Self {
            timestamp_millis: 0,
            ingestion_millis: 0,
            log: "",
            stream: "",
            message,
            pointer: 0,
        }
    }
}

/// Which log groups a scan reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Groups {
    /// Those that the call names.
    #[default]
    Default,
    /// Those named by `SOURCE 'a', 'b'`, at the beginning or in a join or subquery.
    Named(Vec<String>),
    /// `SOURCE logGroups(…)`.
    Selected(GroupSelection),
}

/// The arguments of `SOURCE logGroups(…)`; an empty list does not restrict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupSelection {
    /// `namePrefix`: at most five.
    pub name_prefixes: Vec<String>,
    /// `accountIdentifiers`: at most 20.
    pub account_identifiers: Vec<String>,
    /// `class`.
    pub classes: Vec<String>,
}

impl fmt::Display for Groups {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |names: &[String]| {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            quoted.join(", ")
        };
        match self {
            Groups::Default => formatter.write_str("the log groups of the call"),
            Groups::Named(names) => formatter.write_str(&list(names)),
            Groups::Selected(selection) => {
                let parts = [
                    ("namePrefix", &selection.name_prefixes),
                    ("accountIdentifiers", &selection.account_identifiers),
                    ("class", &selection.classes),
                ];
                let parts: Vec<String> = parts
                    .iter()
                    .filter(|(_, values)| !values.is_empty())
                    .map(|(name, values)| format!("{name}: [{}]", list(values)))
                    .collect();
                write!(formatter, "logGroups({})", parts.join(", "))
            }
        }
    }
}

/// Why a source could not show its records: a lower-case fragment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// Something that can show its records, one by one, in any order.
pub trait Source {
    /// Shows each record of the groups to `visit` until that breaks. Records outside of the time
    /// range may be shown; the engine leaves them out. A query with a join, a subquery or a diff
    /// scans more than once.
    ///
    /// # Errors
    /// If the records cannot be read, or a named group does not exist.
    fn scan(
        &mut self,
        groups: &Groups,
        visit: &mut dyn FnMut(Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), SourceError>;
}

/// Records in memory. Named groups are those whose `log` ends in `:<name>` or is the name.
#[derive(Clone, Debug, Default)]
pub struct SliceSource<'a> {
    records: Vec<Record<'a>>,
}

impl<'a> SliceSource<'a> {
    /// A source of these records.
    pub fn new(records: impl IntoIterator<Item = Record<'a>>) -> Self {
        Self {
            records: records.into_iter().collect(),
        }
    }
}

impl Source for SliceSource<'_> {
    fn scan(
        &mut self,
        groups: &Groups,
        visit: &mut dyn FnMut(Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        let belongs = |log: &str| {
            let name = log.split_once(':').map_or(log, |(_, name)| name);
            match groups {
                Groups::Default => true,
                Groups::Named(names) => names.iter().any(|wanted| wanted == name),
                Groups::Selected(selection) => {
                    let prefixes = &selection.name_prefixes;
                    prefixes.is_empty() || prefixes.iter().any(|prefix| name.starts_with(prefix))
                }
            }
        };
        for record in &self.records {
            if belongs(record.log) && visit(*record).is_break() {
                break;
            }
        }
        Ok(())
    }
}
