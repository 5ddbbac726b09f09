//! From the evidence of a run to its verdict: read back, reconcile, judge.

mod evidence;
mod judge;
mod readback;
mod reconcile;
mod record;

pub use evidence::{ChargesRow, Evidence, LedgerTotals};
pub use judge::{Judgement, Verdict, judge};
pub use readback::{DeliveryTrace, Moment, ReadBack, Reader};
pub use reconcile::{Check, reconcile};
pub use record::RunRecord;
