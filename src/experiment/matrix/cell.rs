//! One guard against one cause, and all of them.

use std::fmt;
use std::str::FromStr;

use super::super::plan::Plan;
use super::super::runner::{Silent, run};
use super::cause::Cause;
use crate::failure::Failure;
use crate::report::JudgedRun;
use crate::worker::GuardName;

/// A guard and a cause, written `claim/producer-copies`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellName {
    /// The guard.
    pub guard: GuardName,
    /// What happens to it.
    pub cause: Cause,
}

/// What came out of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellResult {
    /// The run that decides it.
    Run(Box<JudgedRun>),
    /// No run can decide it, and why.
    Undecidable(&'static str),
}

/// A cell that has been tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Which.
    pub name: CellName,
    /// What came out.
    pub result: CellResult,
}

impl CellName {
    /// What is done for this cell: one arm, whose last run is the one that decides.
    ///
    /// # Errors
    /// Why no run can decide it.
    pub fn plan(self, seed: u64) -> Result<Plan, &'static str> {
        let arm = self.cause.arm(self.guard)?;
        Ok(Plan {
            name: format!("matrix {self}"),
            title: format!("{}: what does `{}` do?", self.cause.title(), self.guard),
            learn: String::new(),
            seed,
            arms: vec![arm],
        })
    }

    /// Tries it.
    ///
    /// # Errors
    /// A [`Failure`] if the stack could not be brought up or its evidence could not be read.
    pub fn try_it(self, seed: u64) -> Result<Cell, Failure> {
        let result = match self.plan(seed) {
            Err(why) => CellResult::Undecidable(why),
            Ok(plan) => {
                let mut runs = run(&plan, &Silent)?;
                let last = runs.pop().expect("every arm has a run");
                CellResult::Run(Box::new(JudgedRun {
                    expected: None,
                    ..last
                }))
            }
        };
        Ok(Cell { name: self, result })
    }
}

impl fmt::Display for CellName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.guard, self.cause)
    }
}

impl FromStr for CellName {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        let (guard, cause) = text.split_once('/').ok_or_else(|| {
            Failure::usage(format!("`{text}` is not a cell of the matrix"))
                .hint("write a guard and a cause, as in `claim/producer-copies`")
        })?;
        Ok(Self {
            guard: guard.parse()?,
            cause: cause.parse()?,
        })
    }
}

/// Tries every cell, cause by cause.
///
/// # Errors
/// As [`CellName::try_it`].
pub fn matrix(seed: u64) -> Result<Vec<Cell>, Failure> {
    let mut cells = Vec::with_capacity(Cause::ALL.len() * GuardName::ALL.len());
    for cause in Cause::ALL {
        for guard in GuardName::ALL {
            cells.push(CellName { guard, cause }.try_it(seed)?);
        }
    }
    Ok(cells)
}
