//! A compiled query and its runs.

use std::collections::{HashMap, HashSet};

use super::choices::{CALL_LIMITS_A_LIMITED_QUERY, DEFAULT_LIMIT};
use super::diagnosis::{CompileError, RunError};
use super::engine::{Environment, Finished, Memory, Row, Shard};
use super::output::Output;
use super::plan::{self, Plan};
use super::record::{Groups, Source};
use super::syntax::{self, DiffWindow};
use super::time::shifted;

/// How a query is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The instant of `now()`, milliseconds since 1970.
    pub now_millis: i64,
    /// First millisecond of the time range.
    pub start_millis: i64,
    /// Last millisecond of the time range.
    pub end_millis: i64,
    /// Rows that the call asks for; 10,000 if neither it nor the query says.
    pub limit: Option<u64>,
    /// Bytes that the query may hold in memory, all shards together.
    pub memory_limit_bytes: usize,
    /// Whether the groups belong to Lambda functions: fields of their lines are discovered, and
    /// JSON behind a text prefix.
    pub lambda_group: bool,
}

impl Default for Options {
    /// All of time, 1 GiB, Lambda groups.
    fn default() -> Self {
        Self {
            now_millis: 0,
            start_millis: i64::MIN,
            end_millis: i64::MAX,
            limit: None,
            memory_limit_bytes: 1 << 30,
            lambda_group: true,
        }
    }
}

/// A compiled query.
#[derive(Clone)]
pub struct Query {
    text: String,
    plan: Plan,
}

impl std::fmt::Debug for Query {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Query").field(&self.text).finish()
    }
}

/// Compiles a query.
///
/// # Errors
/// If the text is no query, or one that this engine does not run: with the place.
pub fn compile(text: &str) -> Result<Query, CompileError> {
    let planned = syntax::parse(text).and_then(|script| plan::plan(text, &script));
    match planned {
        Ok(plan) => Ok(Query {
            text: text.to_owned(),
            plan,
        }),
        Err(fault) => Err(CompileError::new(text, fault)),
    }
}

impl Query {
    /// The text as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The plan as text, one step a line.
    pub fn explain(&self) -> String {
        plan::explain(&self.plan)
    }

    /// The log groups that the query reads: its own first, then those of subqueries and joins.
    pub fn sources(&self) -> Vec<&Groups> {
        fn add<'p>(plan: &'p Plan, sources: &mut Vec<&'p Groups>) {
            sources.push(&plan.groups);
            for inner in plan.subqueries.iter().chain(&plan.joins) {
                add(inner, sources);
            }
        }
        let mut sources = Vec::new();
        add(&self.plan, &mut sources);
        sources
    }

    /// First and last millisecond of the records that a run needs: the time range, and the window
    /// of a `diff` before it.
    pub fn window(&self, options: &Options) -> (i64, i64) {
        let window = (options.start_millis, options.end_millis);
        match earlier_window(&self.plan, options) {
            Some(earlier) => (window.0.min(earlier.0), window.1.max(earlier.1)),
            None => window,
        }
    }

    /// Runs the query over a source.
    ///
    /// # Errors
    /// If the source fails, or the query needs more memory than it may use.
    pub fn run(&self, source: &mut dyn Source, options: &Options) -> Result<Output, RunError> {
        let run = |plan: &Plan, environment: &Environment| {
            let mut shard = shard(plan, environment, options, 0);
            source.scan(&plan.groups, &mut |record| shard.push(record))?;
            shard.finish()
        };
        self.conduct(options, 1, run)
    }

    /// Runs the query over parts of the records, each in a thread of its own, and merges them.
    /// The result is that of one scan over the parts in their order.
    ///
    /// # Errors
    /// If a source fails, or the query needs more memory than it may use.
    pub fn run_parts<S: Source + Send>(
        &self,
        parts: &mut [S],
        options: &Options,
    ) -> Result<Output, RunError> {
        self.conduct(options, parts.len().max(1), |plan, environment| {
            // A regular expression keeps what it learns in a place of its own for one thread only.
            let plans: Vec<Plan> = parts.iter().map(|_| plan.clone()).collect();
            let scanned: Vec<Result<Shard<'_>, RunError>> = std::thread::scope(|scope| {
                let threads: Vec<_> = parts
                    .iter_mut()
                    .zip(&plans)
                    .enumerate()
                    .map(|(number, (part, plan))| {
                        scope.spawn(move || {
                            let mut shard = shard(plan, environment, options, number);
                            part.scan(&plan.groups, &mut |record| shard.push(record))?;
                            Ok(shard)
                        })
                    })
                    .collect();
                threads
                    .into_iter()
                    .map(|thread| join_thread(thread))
                    .collect()
            });
            let mut merged: Option<Shard<'_>> = None;
            for shard in scanned {
                let shard = shard?;
                match &mut merged {
                    Some(merged) => merged.merge(shard)?,
                    None => merged = Some(shard),
                }
            }
            let merged = merged.unwrap_or_else(|| shard(plan, environment, options, 0));
            merged.finish()
        })
    }

    fn conduct(
        &self,
        options: &Options,
        shards: usize,
        mut run: impl FnMut(&Plan, &Environment) -> Result<Finished, RunError>,
    ) -> Result<Output, RunError> {
        if options.end_millis < options.start_millis {
            return Err(RunError::TimeRange {
                start_millis: options.start_millis,
                end_millis: options.end_millis,
            });
        }
        let limit = match (options.limit, self.plan.limited) {
            (None, false) => DEFAULT_LIMIT,
            (None, true) => u64::MAX,
            (Some(_), true) if !CALL_LIMITS_A_LIMITED_QUERY => u64::MAX,
            (Some(limit), _) => limit,
        };
        let base = Environment {
            now_millis: options.now_millis,
            lambda_group: options.lambda_group,
            memory: Memory {
                whole: options.memory_limit_bytes,
                share: options.memory_limit_bytes / shards,
            },
            call_limit: usize::try_from(limit).unwrap_or(usize::MAX).max(1),
            ..Environment::default()
        };
        let environment = prepare(&self.plan, &base, &mut run)?;
        let finished = run(&self.plan, &environment)?;
        let mut output = show(&self.plan, finished.rows, limit);
        output.statistics = finished.statistics;
        output.warnings = super::advice::after(&self.plan, options, &output, finished.seen);
        output.warnings.extend(finished.near_misses);
        Ok(output)
    }
}

fn join_thread<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    match thread.join() {
        Ok(result) => result,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn shard<'q>(
    plan: &'q Plan,
    environment: &'q Environment,
    options: &Options,
    number: usize,
) -> Shard<'q> {
    let window = (options.start_millis, options.end_millis);
    Shard::new(
        plan,
        environment,
        window,
        earlier_window(plan, options),
        number,
    )
}

/// The window that a `diff` compares with.
fn earlier_window(plan: &Plan, options: &Options) -> Option<(i64, i64)> {
    const DAY: i64 = 86_400_000;
    let (start, end) = (options.start_millis, options.end_millis);
    let length = end.saturating_sub(start).saturating_add(1);
    let back = |millis: i64| (start.saturating_sub(millis), end.saturating_sub(millis));
    Some(match plan.diff? {
        DiffWindow::Preceding => back(length),
        DiffWindow::Day => back(DAY),
        DiffWindow::Week => back(7 * DAY),
        DiffWindow::Month => (shifted(start, -1), shifted(end, -1)),
    })
}

/// Runs the subqueries and the right sides of joins.
fn prepare(
    plan: &Plan,
    base: &Environment,
    run: &mut impl FnMut(&Plan, &Environment) -> Result<Finished, RunError>,
) -> Result<Environment, RunError> {
    let mut environment = base.clone();
    for subquery in &plan.subqueries {
        let rows = run(subquery, base)?.rows;
        let slot = subquery.columns.first().map_or(0, |column| column.slot);
        let values = rows.iter().filter_map(|row| row[slot].show());
        environment
            .sets
            .push(values.map(|text| text.into_owned()).collect::<HashSet<_>>());
    }
    for join in &plan.joins {
        // Subqueries do not nest, so the base is all that it needs.
        let rows = run(join, base)?.rows;
        let mut table = super::engine::JoinTable::default();
        let mut by_key: HashMap<String, Vec<usize>> = HashMap::new();
        for mut row in rows {
            let Some(key) = row[join.columns[0].slot].show().map(|key| key.into_owned()) else {
                continue;
            };
            let used = join.columns[1..]
                .iter()
                .map(|column| row[column.slot].clone())
                .collect();
            row.clear();
            by_key.entry(key).or_default().push(table.rows.len());
            table.rows.push(used);
        }
        table.by_key = by_key;
        environment.joins.push(table);
    }
    Ok(environment)
}

fn show(plan: &Plan, mut rows: Vec<Row>, limit: u64) -> Output {
    if !plan.totalled {
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    let cell = |row: &Row, slot: usize| row.get(slot)?.show().map(|text| text.into_owned());
    let shown = rows.iter().map(|row| {
        plan.columns
            .iter()
            .map(|column| cell(row, column.slot))
            .collect()
    });
    Output {
        columns: plan
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect(),
        rows: shown.collect(),
        ..Output::default()
    }
}
