//! Logs Insights over the group: `StartQuery`, polled to its end, in one call.

use std::fmt;
use std::ops::ControlFlow;

use super::group::EmbeddedLog;
use super::store::Snapshot;
use crate::insights::{
    self, CompileError, Groups, Options, Output, Record, RunError, Source, SourceError,
};
use crate::ports::{PortError, QueryTable, TimeRange, Timestamp};

/// The account that an embedded group belongs to: the first half of `@log`.
pub(super) const ACCOUNT: &str = "000000000000";

/// Groups with this prefix are written by Lambda functions; the fields of their lines are
/// discovered (CloudWatch Logs: discoverable fields).
const LAMBDA_PREFIX: &str = "/aws/lambda/";

/// Events from which on a scan is divided. One thread does a small scan faster.
const DIVIDED_EVENTS: u64 = 1 << 17;

/// Parts of a divided scan. A constant, not the number of processors, because the order in which
/// parts are added up shows in the last digits of an average.
const PARTS: usize = 4;

/// A query that gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryError {
    /// The text is no query.
    Compile(CompileError),
    /// The query names a group that does not exist, by its `SOURCE` command.
    UnknownGroup(String),
    /// The query was started and failed.
    Run(RunError),
}

impl fmt::Display for QueryError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compile(error) => error.fmt(formatter),
            Self::UnknownGroup(name) => write!(
                formatter,
                "Log group '{name}' does not exist for account ID '{ACCOUNT}'"
            ),
            Self::Run(error) => error.fmt(formatter),
        }
    }
}

impl std::error::Error for QueryError {}

impl From<QueryError> for PortError {
    fn from(error: QueryError) -> Self {
        let code = match &error {
            QueryError::Compile(_) => "MalformedQueryException",
            QueryError::UnknownGroup(_) | QueryError::Run(RunError::Source(_)) => {
                "ResourceNotFoundException"
            }
            QueryError::Run(RunError::Memory { .. }) => "LimitExceededException",
            QueryError::Run(RunError::TimeRange { .. }) => "InvalidParameterException",
        };
        PortError::rejected("StartQuery", code, error.to_string())
    }
}

impl EmbeddedLog {
    /// Runs a query over the events of the range and returns everything about it: rows,
    /// statistics, warnings. `limit` is the `limit` of `StartQuery`.
    ///
    /// The range is that of `StartQuery`: whole epoch seconds, of which the last one counts to
    /// its last millisecond.
    ///
    /// # Errors
    /// [`QueryError`] if the text is no query, a group that it names does not exist, or it needs
    /// too much memory.
    pub fn run_query(
        &self,
        text: &str,
        range: TimeRange,
        limit: Option<u64>,
    ) -> Result<Output, QueryError> {
        let query = insights::compile(text).map_err(QueryError::Compile)?;
        for groups in query.sources() {
            if let Groups::Named(names) = groups
                && let Some(unknown) = names.iter().find(|name| *name != self.group())
            {
                return Err(QueryError::UnknownGroup(unknown.clone()));
            }
        }
        let millis = |time: Timestamp| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let options = Options {
            now_millis: millis(self.now()),
            start_millis: millis(range.start) / 1000 * 1000,
            end_millis: (millis(range.end) / 1000 * 1000).saturating_add(999),
            limit,
            lambda_group: self.group().starts_with(LAMBDA_PREFIX),
            ..Options::default()
        };
        let snapshot = self.snapshot();
        let parts = if snapshot.events() < DIVIDED_EVENTS {
            vec![snapshot]
        } else {
            snapshot.divided(PARTS)
        };
        let mut sources: Vec<_> = parts.into_iter().map(|part| self.source(part)).collect();
        match sources.as_mut_slice() {
            [source] => query.run(source, &options),
            sources => query.run_parts(sources, &options),
        }
        .map_err(QueryError::Run)
    }

    fn source(&self, snapshot: Snapshot) -> GroupSource<'_> {
        GroupSource {
            group: self.group(),
            log: format!("{ACCOUNT}:{}", self.group()),
            oldest_kept: self.oldest_kept(),
            snapshot,
        }
    }
}

/// The port's table of a query's output.
pub(super) fn table(output: Output) -> QueryTable {
    QueryTable {
        columns: output.columns,
        rows: output.rows,
    }
}

/// The group, or a part of its events, as the query language reads it.
struct GroupSource<'l> {
    group: &'l str,
    log: String,
    oldest_kept: Timestamp,
    snapshot: Snapshot,
}

impl GroupSource<'_> {
    fn belongs_to(&self, groups: &Groups) -> bool {
        match groups {
            Groups::Default => true,
            Groups::Named(names) => names.iter().any(|name| name == self.group),
            Groups::Selected(selection) => {
                let empty_or = |list: &[String], matches: &dyn Fn(&str) -> bool| {
                    list.is_empty() || list.iter().any(|entry| matches(entry))
                };
                empty_or(&selection.name_prefixes, &|prefix| {
                    self.group.starts_with(prefix)
                }) && empty_or(&selection.account_identifiers, &|account| {
                    account == ACCOUNT
                }) && empty_or(&selection.classes, &|class| class == "STANDARD")
            }
        }
    }
}

impl Source for GroupSource<'_> {
    fn scan(
        &mut self,
        groups: &Groups,
        visit: &mut dyn FnMut(Record<'_>) -> ControlFlow<()>,
    ) -> Result<(), SourceError> {
        if !self.belongs_to(groups) {
            return Ok(());
        }
        let millis = |time: Timestamp| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        self.snapshot.visit(&mut |line| {
            if line.timestamp < self.oldest_kept {
                return ControlFlow::Continue(());
            }
            visit(Record {
                timestamp_millis: millis(line.timestamp),
                ingestion_millis: millis(line.ingested_at),
                log: &self.log,
                stream: line.stream,
                message: line.message,
                pointer: line.position.unwrap_or_default(),
            })
        });
        Ok(())
    }
}
