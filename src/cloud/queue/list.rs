//! Lists of queues.

use std::sync::Arc;

use crate::ports::Timestamp;

use super::error::QueueError;
use super::limits;
use super::name;
use super::queues::Queues;
use super::request::{PageRequest, QueuePage};
use super::state::Queue;

impl Queues {
    /// `ListQueues`: URLs by name, of the names that begin with `prefix`.
    ///
    /// # Errors
    /// `MaxResults` is not 1 to 1,000.
    pub fn list_queues(&self, prefix: &str, page: &PageRequest) -> Result<QueuePage, QueueError> {
        let names = self.queues.keys().map(String::as_str);
        self.page(names.filter(|name| name.starts_with(prefix)), page)
    }

    /// `ListDeadLetterSourceQueues`: the queues whose redrive policy names this one.
    ///
    /// # Errors
    /// `QueueDoesNotExist`, or `MaxResults` is not 1 to 1,000.
    pub fn list_dead_letter_source_queues(
        &mut self,
        now: Timestamp,
        queue: &str,
        page: &PageRequest,
    ) -> Result<QueuePage, QueueError> {
        let arn = Arc::clone(&self.open(now, queue)?.arn);
        self.page(self.sources_of(&arn).into_iter(), page)
    }

    /// The names of the queues whose redrive policy names the queue with that ARN.
    pub(super) fn sources_of(&self, arn: &str) -> Vec<&str> {
        let names_it = |queue: &Queue| {
            let redrive = queue.attributes.redrive.as_ref();
            redrive.is_some_and(|redrive| *redrive.target_arn == *arn)
        };
        let sources = self.queues.iter().filter(|(_, queue)| names_it(queue));
        sources.map(|(name, _)| name.as_str()).collect()
    }

    fn page<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
        page: &PageRequest,
    ) -> Result<QueuePage, QueueError> {
        let most = page.max_results.unwrap_or(*limits::LIST_PAGE.end());
        if !limits::LIST_PAGE.contains(&most) {
            let reason = "MaxResults must be an integer between 1 and 1000.";
            return Err(QueueError::value(most, "MaxResults", reason));
        }
        // The token is the last name of the page before.
        let after = page.next_token.as_deref().unwrap_or_default();
        let mut rest = names.filter(|name| *name > after).peekable();
        let size = usize::try_from(most).unwrap_or(usize::MAX);
        let shown: Vec<&str> = rest.by_ref().take(size).collect();
        let more = rest.peek().is_some() && page.max_results.is_some();
        Ok(QueuePage {
            queue_urls: shown
                .iter()
                .map(|name| name::url(&self.config, name))
                .collect(),
            next_token: shown.last().filter(|_| more).map(|name| (*name).to_owned()),
        })
    }
}
