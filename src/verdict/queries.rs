//! The named Insights queries, compiled in from `infra/queries`.

use crate::failure::{Failure, nearest};

/// Counts a run's events by type.
pub const EVENTS_BY_TYPE: NamedQuery = NamedQuery {
    name: "events-by-type",
    text: include_str!("../../infra/queries/events-by-type.insights"),
};

/// Counts charges, orders and messages of a run.
pub const CHARGES: NamedQuery = NamedQuery {
    name: "charges",
    text: include_str!("../../infra/queries/charges.insights"),
};

/// Shows all events of an order.
pub const ORDER_STORY: NamedQuery = NamedQuery {
    name: "order-story",
    text: include_str!("../../infra/queries/order-story.insights"),
};

/// A query with a name, and with placeholders for the run or the order that it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedQuery {
    /// Its name.
    pub name: &'static str,
    text: &'static str,
}

impl NamedQuery {
    /// All named queries.
    pub const ALL: [NamedQuery; 3] = [EVENTS_BY_TYPE, CHARGES, ORDER_STORY];

    /// Finds a query by its name.
    ///
    /// # Errors
    /// A usage [`Failure`] that lists the names.
    pub fn find(name: &str) -> Result<Self, Failure> {
        let names = Self::ALL.map(|query| query.name);
        let found = Self::ALL.into_iter().find(|query| query.name == name);
        found.ok_or_else(|| {
            let failure = Failure::usage(format!(
                "unknown query `{name}`; known queries: {}",
                names.join(", ")
            ));
            match nearest(name, names) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure,
            }
        })
    }

    /// Whether the query is about one run.
    pub fn needs_run(&self) -> bool {
        self.text.contains("{{run}}")
    }

    /// Whether the query is about one order.
    pub fn needs_order(&self) -> bool {
        self.text.contains("{{order}}")
    }

    /// The query for a run. Without a run, the lines that ask for one are left out: the query is
    /// about all runs then.
    pub fn for_run(&self, run: Option<&str>) -> String {
        match run {
            Some(run) => self.text.replace("{{run}}", &literal(run)),
            None => self
                .text
                .replace(" and @message like '\"run\":\"{{run}}\"'", "")
                .replace("| filter @message like '\"run\":\"{{run}}\"'\n", ""),
        }
    }

    /// The query for an order.
    pub fn for_order(&self, order: &str) -> String {
        self.text.replace("{{order}}", &literal(order))
    }
}

/// Text as it stands between the quotes of a JSON string, between the single quotes of an Insights
/// string.
fn literal(text: &str) -> String {
    let json = serde_json::Value::from(text).to_string();
    json[1..json.len() - 1]
        .replace('\\', "\\\\")
        .replace('\'', "\\'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_and_no_one_breaks_out_of_the_literal() {
        assert!(CHARGES.for_run(Some("r-1")).contains(r#"'"run":"r-1"'"#));
        let story = ORDER_STORY.for_order("it's \"so\" \\ so");
        assert!(
            story.contains(r#"'"orderId":"it\'s \\"so\\" \\\\ so"'"#),
            "{story}"
        );
    }

    #[test]
    fn without_a_run_the_query_is_about_all_of_them() {
        for query in [EVENTS_BY_TYPE, CHARGES] {
            let text = query.for_run(None);
            assert!(!text.contains("\"run\""), "{text}");
            assert!(text.contains("stats count(*)"), "{text}");
        }
    }

    #[test]
    fn a_misspelt_query_gets_a_suggestion() {
        assert_eq!(
            NamedQuery::find("charge").map_err(|failure| failure.to_string()),
            Err(
                "unknown query `charge`; known queries: events-by-type, charges, order-story\n\
                 (hint: did you mean `charges`?)"
                    .to_owned()
            )
        );
    }
}
