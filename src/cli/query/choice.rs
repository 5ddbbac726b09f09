//! Which query is meant.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::failure::{Failure, nearest};
use crate::logfile::STANDARD_INPUT;
use crate::verdict::queries::NamedQuery;

/// A query before its text is at hand.
#[derive(Debug)]
pub(super) enum Choice {
    Named {
        query: NamedQuery,
        run: Option<String>,
        order: Option<String>,
    },
    Text(String),
    File(PathBuf),
}

impl Choice {
    /// `given` is the name of a query or its text.
    pub(super) fn new(
        given: Option<String>,
        text: Option<String>,
        file: Option<PathBuf>,
        run: Option<String>,
        order: Option<String>,
    ) -> Result<Self, Failure> {
        let choice = match (given, text, file) {
            (Some(given), None, None) => named(given)?,
            (None, Some(text), None) => Choice::Text(text),
            (None, None, Some(file)) => Choice::File(file),
            (None, None, None) => return Err(none()),
            _ => {
                return Err(Failure::usage("more than one query is given")
                    .hint("give a name or a text, or `--text`, or `--file`"));
            }
        };
        choice.about(run, order)
    }

    /// Says which run and which order a named query is about.
    fn about(self, run: Option<String>, order: Option<String>) -> Result<Self, Failure> {
        let Choice::Named { query, .. } = self else {
            let flags = [("--run", run.is_some()), ("--order", order.is_some())];
            return match flags.iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(Failure::usage(format!(
                    "`{flag}` is for the named queries, and this is another"
                ))
                .hint("write the condition into the query")),
                None => Ok(self),
            };
        };
        let name = query.name;
        if run.is_some() && !query.needs_run() {
            return Err(
                Failure::usage(format!("`{name}` is not about a run")).hint("leave `--run` out")
            );
        }
        if order.is_some() && !query.needs_order() {
            return Err(Failure::usage(format!("`{name}` is not about an order"))
                .hint("leave `--order` out"));
        }
        if order.is_none() && query.needs_order() {
            return Err(Failure::usage(format!("`{name}` needs an order"))
                .hint("add `--order ID`, as in `--order ORDER-003`"));
        }
        Ok(Choice::Named { query, run, order })
    }

    /// The text of the query.
    pub(super) fn text(&self) -> Result<String, Failure> {
        match self {
            Choice::Named { query, run, order } => Ok(match order {
                Some(order) => query.for_order(order),
                None => query.for_run(run.as_deref()),
            }),
            Choice::Text(text) => Ok(text.clone()),
            Choice::File(path) => read(path),
        }
    }
}

fn names() -> [&'static str; 3] {
    NamedQuery::ALL.map(|query| query.name)
}

/// A word that is near to a name is a slip; anything else that is no name is a text.
fn named(given: String) -> Result<Choice, Failure> {
    let known = NamedQuery::ALL
        .into_iter()
        .find(|query| query.name == given);
    if let Some(query) = known {
        return Ok(Choice::Named {
            query,
            run: None,
            order: None,
        });
    }
    let word = given
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    if word && nearest(&given, names()).is_some() {
        return Err(NamedQuery::find(&given).expect_err("it is no known name"));
    }
    Ok(Choice::Text(given))
}

/// Whether a text that names no file can be meant as a query: several words, or nearly a name.
pub(super) fn may_be_query(text: &str) -> bool {
    text.contains(char::is_whitespace) || nearest(text, names()).is_some()
}

fn none() -> Failure {
    Failure::usage("no query is given").hint(format!(
        "give the text of one, or one of the names {}",
        names().join(", ")
    ))
}

fn read(path: &Path) -> Result<String, Failure> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| {
        Failure::environment(format!("the query in `{shown}` cannot be read: {error}"))
    };
    let mut bytes = Vec::new();
    if path.as_os_str() == STANDARD_INPUT {
        std::io::stdin()
            .read_to_end(&mut bytes)
            .map_err(unreadable)?;
    } else {
        bytes = std::fs::read(path).map_err(unreadable)?;
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::usage(format!("the query in `{shown}` is not UTF-8")))?;
    Ok(text
        .strip_prefix('\u{feff}')
        .unwrap_or(&text)
        .replace("\r\n", "\n"))
}
