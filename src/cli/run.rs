//! `lab run`.

use std::time::Duration;

use super::output::{Colour, note, print, stdout_width};
use super::plan_text::plan_text;
use super::progress::Bar;
use super::shell::quoted;
use crate::cloud::wire::{FaultRule, Latency};
use crate::experiment::{
    Overrides, Plan, Scenario, ScenarioName, TableKind, check_controls, crash_points, lint,
    parse_duration, run,
};
use crate::failure::{Failure, exit};
use crate::mapping::VisibilityMode;
use crate::order::Amount;
use crate::report::{Format, JudgedRun, Report, TextStyle, render};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Experiments by name, or files that end with `.toml`; `article` is the SQS lab with its
    /// three experiments
    #[arg(required_unless_present_any = ["list", "all"], value_name = "SCENARIO")]
    scenarios: Vec<String>,

    /// List the experiments and stop
    #[arg(long)]
    list: bool,

    /// Run all experiments that are compiled in
    #[arg(long, conflicts_with_all = ["scenarios", "list"])]
    all: bool,

    /// Print what would be done and stop
    #[arg(long)]
    show: bool,

    /// List the points at which the consumer could crash and stop
    #[arg(long, conflicts_with = "show")]
    crash_points: bool,

    /// A fault in every run, in addition to the scenario's: `crash@claim:after`,
    /// `lose-answer@claim`, `throttle@claim#2`; can be given several times
    #[arg(long = "fault", value_name = "RULE")]
    faults: Vec<FaultRule>,

    /// Copies of the message in every send [default: the scenario's]
    #[arg(long, env = "LAB_COPIES", value_name = "N")]
    copies: Option<u64>,

    /// How long a charge takes [default: the scenario's]
    #[arg(long, env = "LAB_WORK", value_parser = parse_duration, value_name = "DURATION")]
    work: Option<Duration>,

    /// Amount of the order, digits with at most two decimals [default: the scenario's]
    #[arg(long, env = "LAB_AMOUNT", value_name = "AMOUNT")]
    amount: Option<Amount>,

    /// Customer of the order [default: the scenario's]
    #[arg(long, env = "LAB_CUSTOMER", value_name = "ID")]
    customer: Option<String>,

    /// Seed of ids and latencies: the same seed gives the same bytes
    #[arg(long, env = "LAB_SEED", default_value_t = 1, value_name = "N")]
    seed: u64,

    /// Function timeout, 1 s to 900 s [default: the scenario's, or 30s]
    #[arg(long, env = "LAB_FUNCTION_TIMEOUT", value_parser = parse_duration, value_name = "DURATION")]
    function_timeout: Option<Duration>,

    /// Visibility timeout of the queue, 0 s to 12 h [default: the scenario's, or six times the
    /// function timeout]
    #[arg(long, env = "LAB_VISIBILITY_TIMEOUT", value_parser = parse_duration, value_name = "DURATION")]
    visibility_timeout: Option<Duration>,

    /// Whether the mapping overrides the visibility timeout: `queue` (never), `window_formula`
    /// (with a batching window), `cover_function` (always when the queue's is too short)
    /// [default: the scenario's, or window_formula]
    #[arg(long, env = "LAB_VISIBILITY_MODE", value_name = "MODE")]
    visibility_mode: Option<VisibilityMode>,

    /// Receives after which a message goes to the dead-letter queue, 1 to 1000 [default: the
    /// scenario's, or 5]
    #[arg(long, env = "LAB_MAX_RECEIVE_COUNT", value_name = "N")]
    max_receive_count: Option<u32>,

    /// Most messages in one invocation, 1 to 10000; over 10 needs a batching window [default: the
    /// scenario's, or 1]
    #[arg(long, env = "LAB_BATCH_SIZE", value_name = "N")]
    batch_size: Option<u16>,

    /// How long a batch may be gathered, 0 s to 300 s [default: the scenario's, or 0s]
    #[arg(long, env = "LAB_BATCHING_WINDOW", value_parser = parse_duration, value_name = "DURATION")]
    batching_window: Option<Duration>,

    /// Time that a call of the consumer takes, drawn from a range [default: the scenario's, or
    /// 2..9ms]
    #[arg(long, env = "LAB_LATENCY", value_name = "MILLISECONDS")]
    latency: Option<Latency>,

    /// The claim table: plain memory, or dynoxide (DynamoDB on SQLite); both answer alike
    /// [default: memory]
    #[arg(long, env = "LAB_TABLE", value_enum, value_name = "TABLE")]
    table: Option<TableKind>,

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

pub(super) fn main(arguments: &Arguments, colour: Colour) -> Result<u8, Failure> {
    if arguments.list {
        return list();
    }
    let plans = arguments.plans()?;
    if arguments.show {
        plans.iter().try_for_each(|plan| print(&plan_text(plan)))?;
        return Ok(exit::EXPECTED);
    }
    if arguments.crash_points {
        for plan in &plans {
            print_crash_points(plan, &arguments.replay(plan))?;
        }
        return Ok(exit::EXPECTED);
    }
    if !arguments.all {
        for warning in plans.iter().flat_map(lint) {
            note(format_args!("warning: {warning}"));
        }
    }
    check_controls(arguments.table.unwrap_or_default())?;
    let style = TextStyle {
        colour: colour.on_stdout(),
        width: stdout_width(),
    };
    let mut all = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        let report = Report {
            name: plan.name.clone(),
            title: plan.title.clone(),
            seed: Some(plan.seed),
            knobs: plan.common_knobs(),
            replay: arguments.replay(plan),
            runs: run(plan, &Bar::new())?,
        };
        if arguments.all && arguments.format == Format::Text {
            print(&summary(&report))?;
        } else {
            let separator = match arguments.format {
                Format::Text | Format::Markdown if index > 0 => "\n",
                _ => "",
            };
            let text = render(&report, arguments.format, style);
            print(&format!(
                "{separator}{}",
                body(&text, arguments.format, index)
            ))?;
        }
        all.extend(report.runs);
    }
    if arguments.all && arguments.format == Format::Text {
        print(&tally(plans.len(), &all))?;
    }
    Ok(exit_code(&all))
}

/// Several reports in one CSV have one header.
fn body(text: &str, format: Format, index: usize) -> &str {
    match (format, index) {
        (Format::Csv, 1..) => text.split_once('\n').map_or("", |(_, rest)| rest),
        _ => text,
    }
}

/// One line per run.
fn summary(report: &Report) -> String {
    let line = |run: &JudgedRun| {
        let (mark, instead) = match run.as_expected() {
            true => ("ok  ", String::new()),
            false => {
                let expected = run.expected.map(|verdict| verdict.to_string());
                let reason = &run.judgement.reason;
                let expected = expected.unwrap_or_default();
                ("FAIL", format!(" instead of {expected}: {reason}"))
            }
        };
        format!(
            "{mark} {:<12} {} / {}{instead}\n",
            run.judgement.verdict.name(),
            report.name,
            run.arm
        )
    };
    report.runs.iter().map(line).collect()
}

fn tally(scenarios: usize, runs: &[JudgedRun]) -> String {
    let expected = runs.iter().filter(|run| run.as_expected()).count();
    format!(
        "{expected} of {} runs in {scenarios} scenarios came out as expected\n",
        runs.len()
    )
}

fn list() -> Result<u8, Failure> {
    for name in ScenarioName::ALL {
        let plan = Plan::new(&name.load()?, 1, &Overrides::default())?;
        let mut text = format!("{name}\n  {}\n", plan.title);
        for arm in &plan.arms {
            for planned in &arm.runs {
                text.push_str(&format!(
                    "  {:<10} {}: {} x {} under `{}`, expects {}\n",
                    arm.name,
                    arm.title,
                    arm.copies(),
                    planned.order.order_id,
                    arm.guard,
                    planned.expected
                ));
            }
        }
        print(&text)?;
    }
    Ok(exit::EXPECTED)
}

fn print_crash_points(plan: &Plan, replay: &str) -> Result<(), Failure> {
    for (index, arm) in plan.arms.iter().enumerate() {
        let mut text = format!("{}: {}\n", plan.name, arm.name);
        for passed in crash_points(plan, index)? {
            if passed.point.call.is_consumers() {
                text.push_str(&format!(
                    "  {:<22} {replay} --fault {}\n",
                    passed.to_string(),
                    quoted(&format!("crash@{passed}"))
                ));
            }
        }
        print(&text)?;
    }
    Ok(())
}

/// A run that decided otherwise than expected weighs more than one that decided nothing.
fn exit_code(runs: &[JudgedRun]) -> u8 {
    let unexpected = |run: &&JudgedRun| !run.as_expected();
    if runs
        .iter()
        .filter(unexpected)
        .any(|run| run.judgement.verdict.decides())
    {
        exit::NOT_IDEMPOTENT
    } else if runs.iter().any(|run| !run.as_expected()) {
        exit::INCONCLUSIVE
    } else {
        exit::EXPECTED
    }
}

impl Arguments {
    fn plans(&self) -> Result<Vec<Plan>, Failure> {
        let overrides = self.overrides();
        let plan = |scenario: Scenario| Plan::new(&scenario, self.seed, &overrides);
        if self.all {
            let all = ScenarioName::ALL.iter();
            return all.map(|name| plan(name.load()?)).collect();
        }
        let names = self.scenarios.iter();
        names.map(|name| plan(Scenario::find(name)?)).collect()
    }

    fn overrides(&self) -> Overrides {
        Overrides {
            copies: self.copies,
            work: self.work,
            amount: self.amount.clone(),
            customer: self.customer.clone(),
            function_timeout: self.function_timeout,
            visibility_timeout: self.visibility_timeout,
            visibility_mode: self.visibility_mode,
            max_receive_count: self.max_receive_count,
            batch_size: self.batch_size,
            batching_window: self.batching_window,
            latency: self.latency.clone(),
            table: self.table,
            faults: self.faults.clone(),
        }
    }

    /// The command that repeats exactly this run, whatever the environment variables say then.
    /// Knobs that differ between arms are the scenario's own.
    fn replay(&self, plan: &Plan) -> String {
        let mut command = format!("lab run {} --seed {}", quoted(&plan.name), plan.seed);
        if let Some(copies) = self.copies {
            command.push_str(&format!(" --copies {copies}"));
        }
        for (name, value) in plan.common_knobs() {
            command.push_str(&format!(" --{name} {}", quoted(&value)));
        }
        for fault in &self.faults {
            command.push_str(&format!(" --fault {}", quoted(&fault.to_string())));
        }
        if let Some(amount) = &self.amount {
            command.push_str(&format!(" --amount {amount}"));
        }
        if let Some(customer) = &self.customer {
            command.push_str(&format!(
                " --customer '{}'",
                customer.replace('\'', r"'\''")
            ));
        }
        command
    }
}
