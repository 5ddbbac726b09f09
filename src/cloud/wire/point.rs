//! The points of a call at which something can happen, and how they are addressed.

use std::fmt;

use super::history::CallerId;
use super::operation::Operation;
use crate::ports::Timestamp;

/// Before a call is applied, or after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Moment {
    /// The request is at the service's door; nothing has happened.
    Before,
    /// The service has done its part; the caller does not know yet.
    After,
}

impl Moment {
    /// Both, in order.
    pub const ALL: [Moment; 2] = [Self::Before, Self::After];

    /// The name as it is written.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A point of a call, written `claim:after`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallPoint {
    /// The call.
    pub call: Operation,
    /// On which side of its being applied.
    pub moment: Moment,
}

impl fmt::Display for CallPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.call, self.moment)
    }
}

/// A point that a stack has passed: the address at which a rule would have hit it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassedPoint {
    /// The point.
    pub point: CallPoint,
    /// Which of the calls of this operation, from 1.
    pub occurrence: u32,
    /// Who made the call.
    pub caller: CallerId,
    /// When the service had dealt with the call.
    pub at: Timestamp,
}

/// The address, written `claim:before#1`.
impl fmt::Display for PassedPoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}#{}", self.point, self.occurrence)
    }
}
