//! `memory`: the process remembers which orders it has charged.
//!
//! An order is remembered after its charge, so that an order whose charge failed is tried again.
//!
//! Weaknesses: the memory is that of one execution environment. Deliveries that run at the same
//! time run in different environments, which do not share it; and it is gone when the process
//! ends, be it by a crash, by a timeout or because the platform retires it.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;

use super::{Delivery, Guard, ProcessError};

/// The guard `memory`. It lives as long as the process.
#[derive(Default)]
pub struct Memory {
    charged: Mutex<HashSet<String>>,
}

impl Memory {
    fn with_charged<T>(&self, look: impl FnOnce(&mut HashSet<String>) -> T) -> T {
        look(&mut self.charged.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Guard for Memory {
    async fn process(&self, delivery: &Delivery<'_>) -> Result<(), ProcessError> {
        let order_id = delivery.order().order_id.as_str();
        if self.with_charged(|charged| charged.contains(order_id)) {
            delivery.skip();
            return Ok(());
        }
        delivery.charge().await?;
        self.with_charged(|charged| charged.insert(order_id.to_owned()));
        Ok(())
    }
}
