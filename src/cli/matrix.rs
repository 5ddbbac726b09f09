//! `lab matrix`.

use super::output::{Colour, print, stdout_width};
use crate::experiment::{Cause, Cell, CellName, CellResult, TableKind, check_controls, matrix};
use crate::failure::{Failure, exit};
use crate::report::{Format, Matrix, MatrixCell, Report, TextStyle, render, render_matrix};
use crate::worker::GuardName;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Only this cell, with its full report: `claim/producer-copies`
    #[arg(long, value_name = "GUARD/CAUSE")]
    cell: Option<CellName>,

    /// Seed of ids and latencies: the same seed gives the same bytes
    #[arg(long, env = "LAB_SEED", default_value_t = 1, value_name = "N")]
    seed: u64,

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
    check_controls(TableKind::default())?;
    let style = TextStyle {
        colour: colour.on_stdout(),
        width: stdout_width(),
    };
    match arguments.cell {
        Some(name) => one_cell(name, arguments, style),
        None => {
            let cells = matrix(arguments.seed)?;
            let table = table(&cells, arguments.seed);
            print(&render_matrix(&table, arguments.format, style))?;
            Ok(exit::EXPECTED)
        }
    }
}

fn replay(name: CellName, seed: u64) -> String {
    format!("lab matrix --cell {name} --seed {seed}")
}

/// What a guard does is no failure of the matrix: a cell that decides ends with 0.
fn one_cell(name: CellName, arguments: &Arguments, style: TextStyle) -> Result<u8, Failure> {
    let seed = arguments.seed;
    let plan = name.plan(seed).map_err(|why| {
        Failure::new(
            exit::INCONCLUSIVE,
            format!("no run can decide `{name}`: {why}"),
        )
    })?;
    let CellResult::Run(run) = name.try_it(seed)?.result else {
        unreachable!("a cell that has a plan has a run");
    };
    let decides = run.judgement.verdict.decides();
    let report = Report {
        name: plan.name.clone(),
        title: plan.title.clone(),
        seed: Some(seed),
        knobs: plan.common_knobs(),
        replay: replay(name, seed),
        runs: vec![*run],
    };
    print(&render(&report, arguments.format, style))?;
    Ok(match decides {
        true => exit::EXPECTED,
        false => exit::INCONCLUSIVE,
    })
}

fn table(cells: &[Cell], seed: u64) -> Matrix {
    Matrix {
        seed,
        guards: GuardName::ALL.map(|guard| guard.to_string()).to_vec(),
        causes: Cause::ALL
            .map(|cause| (cause.to_string(), cause.title().to_owned()))
            .to_vec(),
        cells: cells.iter().map(|cell| cell_of(cell, seed)).collect(),
    }
}

fn cell_of(cell: &Cell, seed: u64) -> MatrixCell {
    let run = match &cell.result {
        CellResult::Run(run) => Some(run),
        CellResult::Undecidable(_) => None,
    };
    MatrixCell {
        guard: cell.name.guard.to_string(),
        cause: cell.name.cause.to_string(),
        verdict: run.map(|run| run.judgement.verdict),
        charges: run.map_or(0, |run| run.evidence.charge_count()),
        messages: run.map_or(0, |run| run.evidence.read_back.messages_started),
        deliveries: run.map_or(0, |run| run.evidence.read_back.deliveries.len() as u64),
        reason: match &cell.result {
            CellResult::Run(run) => run.judgement.reason.clone(),
            CellResult::Undecidable(why) => (*why).to_owned(),
        },
        replay: replay(cell.name, seed),
    }
}
