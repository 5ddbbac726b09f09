//! From the evidence of a run to its verdict: read back, reconcile, judge.

mod case;
mod cause;
mod collect;
mod cost;
mod evidence;
mod exhibit;
mod judge;
mod line;
mod obstacle;
mod prices;
pub mod queries;
mod readback;
mod reader;
mod reconcile;
mod record;

pub use collect::{Embedded, Sources, collect};
pub use cost::{Cost, MicroDollars, Usage};
pub use evidence::{ChargesRow, Evidence, FaultFired, LedgerTotals, Witness};
pub use judge::{Judgement, Verdict, judge};
pub use prices::PRICES_OF;
pub use readback::{DeliveryTrace, Ending, Moment, ReadBack};
pub use reader::Reader;
pub use reconcile::{Check, reconcile};
pub use record::RunRecord;
