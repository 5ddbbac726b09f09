//! From arguments to an exit code.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use super::output::{Colour, print_failure};
use super::{completions, matrix, query, run};
use crate::failure::{Failure, exit};

/// Sends the same order through a queue to a consumer many times, on purpose, and tells from the
/// evidence whether it was charged once, twice or never.
#[derive(Debug, Parser)]
#[command(name = "lab", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(super) struct Cli {
    /// When to colour the output; `NO_COLOR` is respected
    #[arg(
        long,
        global = true,
        env = "LAB_COLOR",
        value_enum,
        default_value_t,
        value_name = "WHEN"
    )]
    color: Colour,

    #[command(subcommand)]
    command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0   everything as expected
  1   the consumer is not idempotent, or an expectation failed
  2   usage or configuration
  3   environment: no endpoint, no stack, a file that cannot be read or written
  4   incomplete or inconclusive: nothing was proved
  5   the harness's own controls failed
  70  a bug in lab";

#[derive(Debug, Subcommand)]
enum Command {
    /// Run an experiment on the embedded cloud, in this process and in virtual time
    Run(run::Arguments),
    /// Try every guard against every cause of duplicates, on the embedded cloud
    Matrix(matrix::Arguments),
    /// Ask a log file with CloudWatch Logs Insights QL
    Query(query::Arguments),
    /// Print a completion script for a shell
    Completions(completions::Arguments),
}

/// Runs the command line and returns the process's exit code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version go to standard output and are no failure. If nobody reads them, there
            // is nobody to tell either.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() {
                exit::USAGE
            } else {
                exit::EXPECTED
            });
        }
    };
    let colour = cli.color;
    let done = catch_unwind(AssertUnwindSafe(|| dispatch(cli)));
    match done {
        Ok(Ok(code)) => ExitCode::from(code),
        Ok(Err(failure)) => {
            print_failure(&failure, colour);
            ExitCode::from(failure.exit_code)
        }
        Err(_) => {
            let failure = Failure::new(exit::BUG, "this is a bug in `lab`")
                .hint("please report it together with the message above and the command line");
            print_failure(&failure, colour);
            ExitCode::from(exit::BUG)
        }
    }
}

fn dispatch(cli: Cli) -> Result<u8, Failure> {
    match cli.command {
        Command::Run(arguments) => run::main(&arguments, cli.color),
        Command::Matrix(arguments) => matrix::main(&arguments, cli.color),
        Command::Query(arguments) => query::main(arguments),
        Command::Completions(arguments) => completions::main(&arguments, Cli::command()),
    }
}
