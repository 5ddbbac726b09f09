//! From the evidence of a run to its verdict: read back, reconcile, judge.

mod collect;
mod evidence;
mod judge;
pub mod queries;
mod readback;
mod reconcile;
mod record;

pub use collect::{Embedded, Sources, collect};
pub use evidence::{ChargesRow, Evidence, LedgerTotals};
pub use judge::{Judgement, Verdict, judge};
pub use readback::{DeliveryTrace, Moment, ReadBack, Reader};
pub use reconcile::{Check, reconcile};
pub use record::RunRecord;
