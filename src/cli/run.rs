//! `lab run`.

use std::time::Duration;

use super::output::{Colour, note, print, stdout_width};
use super::progress::Bar;
use crate::cloud::wire::Latency;
use crate::experiment::{Knobs, Overrides, Plan, ScenarioName, TableKind, parse_duration, run};
use crate::failure::{Failure, exit};
use crate::mapping::{MappingSettings, VisibilityMode};
use crate::order::Amount;
use crate::report::{Format, JudgedRun, Report, TextStyle, render};

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The experiment; `article` is the SQS lab with its three experiments
    #[arg(required_unless_present = "list", value_name = "SCENARIO")]
    scenario: Option<String>,

    /// List the experiments and stop
    #[arg(long)]
    list: bool,

    /// Copies of the message in every run [default: the scenario's]
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

    /// Function timeout, 1 s to 900 s
    #[arg(long, env = "LAB_FUNCTION_TIMEOUT", default_value = "30s", value_parser = parse_duration, value_name = "DURATION")]
    function_timeout: Duration,

    /// Visibility timeout of the queue, 0 s to 12 h [default: six times the function timeout]
    #[arg(long, env = "LAB_VISIBILITY_TIMEOUT", value_parser = parse_duration, value_name = "DURATION")]
    visibility_timeout: Option<Duration>,

    /// Whether the mapping overrides the visibility timeout: `queue` (never), `window_formula`
    /// (with a batching window), `cover_function` (always when the queue's is too short)
    #[arg(
        long,
        env = "LAB_VISIBILITY_MODE",
        default_value_t,
        value_name = "MODE"
    )]
    visibility_mode: VisibilityMode,

    /// Receives after which a message goes to the dead-letter queue, 1 to 1000
    #[arg(
        long,
        env = "LAB_MAX_RECEIVE_COUNT",
        default_value_t = 5,
        value_name = "N"
    )]
    max_receive_count: u32,

    /// Most messages in one invocation, 1 to 10000; over 10 needs a batching window
    #[arg(long, env = "LAB_BATCH_SIZE", default_value_t = 1, value_name = "N")]
    batch_size: u16,

    /// How long a batch may be gathered, 0 s to 300 s
    #[arg(long, env = "LAB_BATCHING_WINDOW", default_value = "0s", value_parser = parse_duration, value_name = "DURATION")]
    batching_window: Duration,

    /// Time that a call of the consumer takes, drawn from a range
    #[arg(
        long,
        env = "LAB_LATENCY",
        default_value_t,
        value_name = "MILLISECONDS"
    )]
    latency: Latency,

    /// The claim table: plain memory, or dynoxide (DynamoDB on SQLite); both answer alike
    #[arg(
        long,
        env = "LAB_TABLE",
        value_enum,
        default_value_t,
        value_name = "TABLE"
    )]
    table: TableKind,

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
    let name: ScenarioName = arguments
        .scenario
        .as_deref()
        .unwrap_or_default()
        .parse::<ScenarioName>()?;
    let scenario = name.load()?;
    let plan = Plan::new(
        &scenario,
        arguments.seed,
        arguments.knobs(),
        &arguments.overrides(),
    )?;
    for warning in plan.knobs.warnings() {
        note(format_args!("warning: {warning}"));
    }
    let runs = run(&plan, &Bar::new())?;
    let report = Report {
        name: plan.name.clone(),
        title: plan.title.clone(),
        seed: Some(plan.seed),
        knobs: plan.knobs.named(),
        replay: arguments.replay(&plan),
        runs,
    };
    let style = TextStyle {
        colour: colour.on_stdout(),
        width: stdout_width(),
    };
    print(&render(&report, arguments.format, style))?;
    Ok(exit_code(&report.runs))
}

fn list() -> Result<u8, Failure> {
    for name in ScenarioName::ALL {
        let scenario = name.load()?;
        print(&format!("{name}\n  {}\n", scenario.title))?;
        for arm in &scenario.arms {
            print(&format!(
                "  {:<10} {}: {} x {} under `{}`, expects {}\n",
                arm.name, arm.title, arm.copies, arm.order, arm.guard, arm.expect
            ))?;
        }
    }
    Ok(exit::EXPECTED)
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
    fn knobs(&self) -> Knobs {
        Knobs {
            function_timeout: self.function_timeout,
            visibility_timeout: self.visibility_timeout.unwrap_or(self.function_timeout * 6),
            max_receive_count: self.max_receive_count,
            mapping: MappingSettings {
                batch_size: self.batch_size,
                batching_window: self.batching_window,
                visibility_mode: self.visibility_mode,
                ..MappingSettings::default()
            },
            latency: self.latency.clone(),
            table: self.table,
            ..Knobs::default()
        }
    }

    fn overrides(&self) -> Overrides {
        Overrides {
            copies: self.copies,
            work: self.work,
            amount: self.amount.clone(),
            customer: self.customer.clone(),
        }
    }

    /// The command that repeats exactly this run, whatever the environment variables say then.
    fn replay(&self, plan: &Plan) -> String {
        let mut command = format!("lab run {} --seed {}", plan.name, plan.seed);
        if let Some(copies) = self.copies {
            command.push_str(&format!(" --copies {copies}"));
        }
        for (name, value) in plan.knobs.named() {
            command.push_str(&format!(" --{name} {value}"));
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
