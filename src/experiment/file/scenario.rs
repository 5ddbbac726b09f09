//! A whole file.

use std::cell::RefCell;
use std::collections::HashSet;

use toml::de::DeTable;

use super::super::scenario::Scenario;
use super::arm::{Defaults, arm};
use super::mistake::Mistakes;
use super::section::Section;
use crate::failure::Failure;

/// Reads a scenario file.
///
/// # Errors
/// A usage [`Failure`] with every mistake.
pub(in super::super) fn read(name: &str, text: &str) -> Result<Scenario, Failure> {
    let (document, syntax) = DeTable::parse_recoverable(text);
    let mistakes = RefCell::new(Mistakes::default());
    for error in &syntax {
        let span = error.span().unwrap_or(0..0);
        mistakes.borrow_mut().add(span, error.message());
    }
    // What stands behind a syntax error may have been lost: nothing is said of what is missing.
    let scenario = match syntax.is_empty() {
        true => {
            let root = Section::new("the scenario", document.get_ref(), 0..0, &mistakes);
            scenario(name, root)
        }
        false => None,
    };
    match (scenario, mistakes.take().into_failure(name, text)) {
        (_, Some(failure)) => Err(failure),
        (Some(scenario), None) => Ok(scenario),
        (None, None) => unreachable!("a scenario that cannot be read has a mistake"),
    }
}

fn scenario(name: &str, mut root: Section<'_>) -> Option<Scenario> {
    let title = root.text("title");
    let title = root.required("title", title);
    let learn = root.text("learn");
    let learn = root.required("learn", learn);
    let defaults = Defaults::read(root.section("defaults"));
    let sections = root.sections("arm");
    let sections = root.required("arm", sections);
    let mut names = HashSet::new();
    let mut arms = Vec::new();
    for section in sections.unwrap_or_default() {
        let span = section.span.clone();
        if let Some(read) = arm(section, &defaults) {
            if !names.insert(read.0.name.clone()) {
                let message = format!("there are two arms called `{}`", read.0.name);
                root.mistake(span, message);
            }
            arms.push(read);
        }
    }
    root.finish();
    Some(Scenario {
        name: name.to_owned(),
        title: title?.value,
        learn: learn?.value,
        arms,
    })
}
