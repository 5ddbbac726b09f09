//! An arm of a file.

use std::time::Duration;

use super::super::knobs::Knobs;
use super::super::plan::{Budget, PlannedArm};
use super::section::{Found, Section};
use super::send::{Sender, sends};
use super::settings::{self, Given};
use crate::cloud::wire::FaultRule;
use crate::order::Amount;
use crate::verdict::Verdict;
use crate::worker::GuardName;

/// The customer of the original lab.
const CUSTOMER: &str = "CUSTOMER-123";
/// The amount of the original lab.
const AMOUNT: &str = "150.00";

/// What holds for all arms.
pub(super) struct Defaults {
    pub(super) customer: String,
    pub(super) amount: Amount,
    knobs: Knobs,
    given: Given,
    budget: Budget,
}

impl Defaults {
    /// Reads the table `defaults`, if there is one.
    pub(super) fn read(section: Option<Section<'_>>) -> Self {
        let mut defaults = Self {
            customer: CUSTOMER.to_owned(),
            amount: AMOUNT.parse().expect("a valid amount"),
            knobs: Knobs::default(),
            given: Given::default(),
            budget: Budget::default(),
        };
        if let Some(mut section) = section {
            if let Some(customer) = section.text("customer") {
                defaults.customer = customer.value;
            }
            if let Some(amount) = section.parsed("amount") {
                defaults.amount = amount.value;
            }
            settings::read(&mut section, &mut defaults.knobs, &mut defaults.given);
            read_budget(&mut section, &mut defaults.budget);
            section.finish();
        }
        defaults
    }
}

fn read_budget(section: &mut Section<'_>, budget: &mut Budget) {
    let Some(mut section) = section.section("budget") else {
        return;
    };
    let mut read = |key, place: &mut Duration| {
        if let Some(found) = section.duration(key) {
            *place = found.value;
        }
    };
    read("delivery", &mut budget.delivery);
    read("drain", &mut budget.drain);
    section.finish();
}

/// Reads an arm; `None` if something is wrong with it.
pub(super) fn arm(mut section: Section<'_>, defaults: &Defaults) -> Option<(PlannedArm, bool)> {
    let name = section.text("name");
    let name = section.required("name", name);
    let title = section.text("title");
    let title = section.required("title", title);
    let guard = section.parsed::<GuardName>("guard");
    let guard = section.required("guard", guard);
    let expect = section.parsed::<Verdict>("expect");
    let faults = faults(&mut section);
    let (mut knobs, mut given) = (defaults.knobs.clone(), defaults.given);
    settings::read(&mut section, &mut knobs, &mut given);
    let mut budget = defaults.budget.clone();
    read_budget(&mut section, &mut budget);
    if let Err(failure) = knobs.validate() {
        section.failure(section.span.clone(), failure);
    }
    let sender = Sender {
        defaults,
        knobs: &knobs,
        expect: expect.map(|expect| expect.value),
    };
    let sent = sends(&mut section, &sender);
    section.finish();
    let (steps, runs) = sent?;
    let arm = PlannedArm {
        name: name?.value,
        title: title?.value,
        guard: guard?.value,
        knobs,
        steps,
        runs,
        faults: faults?,
        budget,
    };
    Some((arm, given.visibility_timeout))
}

fn faults(section: &mut Section<'_>) -> Option<Vec<FaultRule>> {
    let rules = section.texts("faults").into_iter();
    let read = rules.map(|Found { value, span }| match value.parse() {
        Ok(rule) => Some(rule),
        Err(failure) => {
            section.failure(span, failure);
            None
        }
    });
    // Every rule is read, so that every mistake is reported.
    let read: Vec<Option<FaultRule>> = read.collect();
    read.into_iter().collect()
}
