//! `lab query`.

mod bar;
mod cells;
mod choice;
mod csv;
mod format;
mod json;
mod markdown;
mod messages;
mod range;
mod table;

use std::path::PathBuf;

use self::bar::Bar;
use self::choice::{Choice, may_be_query};
use self::format::{Format, Style, render};
use self::messages::{not_a_query, not_run, notes, statistics, warning};
use self::range::{Range, RangeArguments};
use super::output::{note, print, stdout_width};
use crate::cloud::clock::RealClock;
use crate::failure::{Failure, exit};
use crate::insights::{self, Options, Output, Query};
use crate::logfile::{InputFormat, Logs, STANDARD_INPUT};
use crate::ports::Clock;

#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A named query (`events-by-type`, `charges`, `order-story`), or the text of one
    #[arg(value_name = "NAME | TEXT")]
    query: Option<String>,

    /// The text of the query
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,

    /// A file with the text of the query; `-` is standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,

    /// The run that a named query is about [default: all runs in the log]
    #[arg(long, env = "LAB_RUN", value_name = "ID")]
    run: Option<String>,

    /// The order that a named query is about
    #[arg(long, env = "LAB_ORDER", value_name = "ID")]
    order: Option<String>,

    /// The logs, read in this order; `-` is standard input
    #[arg(
        long,
        env = "LAB_FROM",
        num_args = 1..,
        required_unless_present = "explain",
        value_name = "FILE"
    )]
    from: Vec<PathBuf>,

    /// What the logs hold
    #[arg(
        long,
        env = "LAB_INPUT_FORMAT",
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    input_format: InputFormat,

    /// Whether the logs are those of a Lambda function, whose fields (`@type`, `@requestId`,
    /// `@duration`, …) are discovered, and JSON behind other text
    #[arg(
        long,
        env = "LAB_LAMBDA_LOG",
        value_enum,
        default_value_t,
        value_name = "WHEN"
    )]
    lambda_log: LambdaLog,

    #[command(flatten)]
    range: RangeArguments,

    /// Most rows of the result, 1 to 100000 [default: 10000, or the `limit` of the query]
    #[arg(
        long,
        env = "LAB_LIMIT",
        value_parser = clap::value_parser!(u64).range(1..=100_000),
        value_name = "N"
    )]
    limit: Option<u64>,

    /// Memory that the query may use, in MiB
    #[arg(
        long,
        env = "LAB_MEMORY_LIMIT",
        default_value_t = 1024,
        value_parser = clap::value_parser!(u32).range(1..=1_048_576),
        value_name = "MIB"
    )]
    memory_limit: u32,

    /// Print the plan of the query, and what the logs are taken for, and stop
    #[arg(long)]
    explain: bool,

    /// Output format
    #[arg(
        long,
        env = "LAB_FORMAT",
        value_enum,
        default_value_t,
        value_name = "FORMAT"
    )]
    format: Format,
}

const AFTER_HELP: &str = "\
Events:
  A line is an event, also one of a stack trace; empty lines are none. Its time (`@timestamp`) is an
  RFC 3339 time that it begins with (`2026-09-20T20:58:23.240Z`, also behind a word and a tab). In
  JSON lines it is the first of `timestamp`, `time`, `@timestamp` that holds an RFC 3339 time, epoch
  seconds (10 digits) or epoch milliseconds (13 digits). A line without a time takes that of the
  line before; ahead of the first time, that one. A file without a time in its first MiB has none:
  it is read whatever the time range says. In a CloudWatch export a line without a time continues
  the message before it.
  `@logStream` is the name of the file (or the stream that `aws logs` printed), `@log` is
  `local:<path>`, and `SOURCE 'app.log'` names one of several files.

Files:
  gzip is recognised by its content. Bytes that are not UTF-8 are replaced, and lines beyond 16 MiB
  are cut, both with a warning.

Exit codes:
  0   the query ran, whatever it found
  2   the query does not compile, or flags contradict each other
  3   a file cannot be read, or the query needs more memory than it may use

Examples:
  lab query charges --from worker.log
  lab query order-story --order ORDER-003 --from worker.log
  lab query --from app.log 'stats count(*) by level'
  aws logs filter-log-events --log-group-name NAME | lab query events-by-type --from -";

/// Whether fields of Lambda functions are discovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
enum LambdaLog {
    /// If a log looks like one
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

pub(super) fn main(mut arguments: Arguments) -> Result<u8, Failure> {
    let choice = arguments.choice()?;
    let query = insights::compile(&choice.text()?).map_err(|error| not_a_query(&error))?;
    let range = arguments.range.range(RealClock.now())?;
    if arguments.explain {
        return explain(&arguments, &query);
    }
    let mut logs = Logs::open(&arguments.from, arguments.input_format)?;
    let sources = query.sources();
    logs.check_groups(&sources)?;
    if sources.len() > 1 {
        logs.keep_streams()?;
    }
    let output = run(&query, &logs, &arguments.options(range, &logs))?;
    let style = Style {
        width: stdout_width(),
        show_pointer: query.text().contains("@ptr"),
    };
    let rendered = render(&output, arguments.format, style);
    print(&rendered.text)?;
    for text in &output.warnings {
        note(warning(text));
    }
    for text in notes(&output, &logs, range, query.text()) {
        note(warning(text));
    }
    if rendered.cut_cells > 0 {
        note(warning(messages::cut_cells(rendered.cut_cells)));
    }
    note(statistics(&output.statistics));
    Ok(exit::EXPECTED)
}

fn explain(arguments: &Arguments, query: &Query) -> Result<u8, Failure> {
    let mut text = query.explain();
    if !arguments.from.is_empty() {
        let logs = Logs::open(&arguments.from, arguments.input_format)?;
        logs.check_groups(&query.sources())?;
        text = format!("{}\n\n{}", text.trim_end(), logs.describe());
    }
    print(&format!("{}\n", text.trim_end()))?;
    Ok(exit::EXPECTED)
}

fn run(query: &Query, logs: &Logs, options: &Options) -> Result<Output, Failure> {
    let bar = Bar::new(logs.bytes());
    let mut parts = logs.parts(&bar);
    for part in &mut parts {
        part.look_between((options.start_millis, options.end_millis));
    }
    let output = match parts.as_mut_slice() {
        [part] => query.run(part, options),
        parts => query.run_parts(parts, options),
    };
    bar.end();
    output.map_err(|error| not_run(&error))
}

impl Arguments {
    /// Which query is meant.
    fn choice(&mut self) -> Result<Choice, Failure> {
        let given = self.query.is_some() || self.text.is_some() || self.file.is_some();
        // `--from app.log 'stats …'`: `--from` takes several files, so it also took the query.
        if !given
            && self.from.len() > 1
            && let Some(last) = self
                .from
                .pop_if(|last| !last.exists() && may_be_query(&last.to_string_lossy()))
        {
            self.query = Some(last.to_string_lossy().into_owned());
        }
        let reads_input = self
            .from
            .iter()
            .filter(|path| path.as_os_str() == STANDARD_INPUT);
        let mut readers = vec!["`--from -`"; reads_input.count()];
        if self
            .file
            .as_ref()
            .is_some_and(|path| path.as_os_str() == STANDARD_INPUT)
        {
            readers.insert(0, "`--file -`");
        }
        if let [first, second, ..] = readers.as_slice() {
            return Err(Failure::usage(format!(
                "standard input can be read once, and {first} and {second} both would"
            )));
        }
        Choice::new(
            self.query.clone(),
            self.text.clone(),
            self.file.clone(),
            self.run.clone(),
            self.order.clone(),
        )
    }

    fn options(&self, range: Range, logs: &Logs) -> Options {
        Options {
            now_millis: range.now_millis,
            start_millis: range.start_millis,
            end_millis: range.end_millis,
            limit: self.limit,
            memory_limit_bytes: self.memory_limit as usize * (1 << 20),
            lambda_group: match self.lambda_log {
                LambdaLog::Auto => logs.are_of_lambda(),
                LambdaLog::Always => true,
                LambdaLog::Never => false,
            },
        }
    }
}
