//! Which names can be used at a place of the query, and the slots behind them.

use super::node::Node;
use super::step::{Slot, SystemField};
use crate::insights::diagnosis::{Fault, Span, nearest};
use crate::insights::discover::LambdaField;
use crate::insights::output::Warning;
use crate::insights::syntax::Name;

/// A name that the query made: by `as`, `parse`, `unnest`, `stats`.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) slot: Slot,
    /// Made by an alias, which cannot be given twice.
    alias: bool,
}

/// Names by slots. While `raw`, every name is a field that records may have.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) raw: bool,
    pub(super) slots: usize,
    pub(super) entries: Vec<Entry>,
    /// Expressions whose value is in a slot, by their text without blanks: `bin(5m)` behind
    /// `stats … by bin(5m)`.
    pub(super) computed: Vec<(String, Slot)>,
    pub(super) system: Vec<(SystemField, Slot)>,
    pub(super) lambda: Vec<(LambdaField, &'static str, Slot)>,
    pub(super) discovered: Vec<(String, Slot)>,
    /// Names that are only shown: fields of the right side of a join.
    pub(super) labels: Vec<(Slot, String)>,
    /// What the command is called that took the other names away.
    pub(super) closed_by: &'static str,
    pub(super) warnings: Vec<Warning>,
}

/// What a name stands for.
pub(super) enum Found {
    Slot(Slot),
    Path(Slot, String),
}

impl Found {
    pub(super) fn node(self) -> Node {
        match self {
            Found::Slot(slot) => Node::Slot(slot),
            Found::Path(slot, path) => Node::Path { slot, path },
        }
    }
}

impl Scope {
    pub(super) fn of_records() -> Self {
        Self {
            raw: true,
            ..Self::default()
        }
    }

    pub(super) fn closed(closed_by: &'static str) -> Self {
        Self {
            closed_by,
            ..Self::default()
        }
    }

    pub(super) fn new_slot(&mut self) -> Slot {
        self.slots += 1;
        self.slots - 1
    }

    /// Gives a name to a slot. The same alias twice is an error.
    pub(super) fn define(&mut self, name: &Name, slot: Slot) -> Result<(), Fault> {
        if self
            .entries
            .iter()
            .any(|entry| entry.alias && entry.name == name.text)
        {
            let message = format!("the name `{}` is already given to another field", name.text);
            return Err(Fault::new(name.span, message).hint("choose another name behind `as`"));
        }
        self.entries.push(Entry {
            name: name.text.clone(),
            slot,
            alias: true,
        });
        Ok(())
    }

    /// Gives a name to a slot, over whatever the name stood for.
    pub(super) fn redefine(&mut self, name: &str, slot: Slot) {
        self.entries.retain(|entry| entry.name != name);
        self.entries.push(Entry {
            name: name.to_owned(),
            slot,
            alias: true,
        });
    }

    /// Gives a name that comes from the text of an expression or field.
    pub(super) fn describe(&mut self, name: &str, slot: Slot) {
        self.entries.push(Entry {
            name: name.to_owned(),
            slot,
            alias: false,
        });
    }

    pub(super) fn made(&self, name: &str) -> Option<Slot> {
        self.entries
            .iter()
            .rev()
            .find(|entry| entry.name == name)
            .map(|entry| entry.slot)
    }

    /// The slot of an expression that was computed before, by its text.
    pub(super) fn computed(&self, text: &str) -> Option<Slot> {
        let key = without_blanks(text);
        self.computed
            .iter()
            .find(|(known, _)| *known == key)
            .map(|(_, slot)| *slot)
    }

    pub(super) fn system(&mut self, field: SystemField) -> Slot {
        if let Some((_, slot)) = self.system.iter().find(|(known, _)| *known == field) {
            return *slot;
        }
        let slot = self.new_slot();
        self.system.push((field, slot));
        slot
    }

    /// What the name stands for here.
    pub(super) fn find(&mut self, path: &str, span: Span) -> Result<Found, Fault> {
        if let Some(slot) = self.made(path) {
            return Ok(Found::Slot(slot));
        }
        // The longest name in front of a dot that the query made.
        let dots = path
            .match_indices('.')
            .map(|(at, _)| at)
            .collect::<Vec<_>>();
        for at in dots.into_iter().rev() {
            if let Some(slot) = self.made(&path[..at]) {
                return Ok(Found::Path(slot, path[at + 1..].to_owned()));
            }
        }
        if self.raw {
            return Ok(Found::Slot(self.record_field(path)));
        }
        Err(self.unknown(path, span))
    }

    fn unknown(&self, path: &str, span: Span) -> Fault {
        let by = self.closed_by;
        let names: Vec<&str> = self
            .entries
            .iter()
            .map(|entry| entry.name.as_str())
            .collect();
        let fault = Fault::new(span, format!("there is no field `{path}` behind `{by}`"));
        match nearest(path, names.iter().copied()) {
            Some(name) => fault.hint(format!("did you mean `{name}`?")),
            None => fault.hint(format!("`{by}` leaves: {}", names.join(", "))),
        }
    }

    fn record_field(&mut self, path: &str) -> Slot {
        if let Some((_, field)) = SystemField::ALL.iter().find(|(name, _)| *name == path) {
            return self.system(*field);
        }
        if let Some(field) = LambdaField::named(path) {
            if let Some((_, _, slot)) = self.lambda.iter().find(|(known, _, _)| *known == field) {
                return *slot;
            }
            let name = LambdaField::NAMES.iter().find(|name| **name == path);
            let slot = self.new_slot();
            self.lambda
                .push((field, name.copied().unwrap_or_default(), slot));
            return slot;
        }
        if let Some((_, slot)) = self.discovered.iter().find(|(known, _)| known == path) {
            return *slot;
        }
        self.warn_unknown_system_field(path);
        let slot = self.new_slot();
        self.discovered.push((path.to_owned(), slot));
        slot
    }

    /// `@mesage` is legal and always absent.
    fn warn_unknown_system_field(&mut self, path: &str) {
        if !path.starts_with('@') || path.starts_with("@@") || path.starts_with("@entity.") {
            return;
        }
        let system = SystemField::ALL.iter().map(|(name, _)| *name);
        let made = self.entries.iter().map(|entry| entry.name.as_str());
        let near = nearest(path, system.chain(LambdaField::NAMES).chain(made));
        let hint = match near {
            Some(name) => format!("did you mean `{name}`?"),
            None => {
                "names with `@` are CloudWatch's own; a JSON key `@x` is called `@@x`".to_owned()
            }
        };
        self.warnings.push(Warning::new(
            format!("no record has a field `{path}`"),
            hint,
        ));
    }

    /// How the slots are called in an explanation.
    pub(super) fn names(&self) -> Vec<(Slot, String)> {
        let made = self
            .entries
            .iter()
            .map(|entry| (entry.slot, entry.name.clone()));
        let system = self.system.iter().filter_map(|(field, slot)| {
            let (name, _) = SystemField::ALL.iter().find(|(_, known)| known == field)?;
            Some((*slot, (*name).to_owned()))
        });
        let lambda = self
            .lambda
            .iter()
            .map(|(_, name, slot)| (*slot, (*name).to_owned()));
        let discovered = self
            .discovered
            .iter()
            .map(|(path, slot)| (*slot, path.clone()));
        let labels = self.labels.iter().cloned();
        made.chain(system)
            .chain(lambda)
            .chain(discovered)
            .chain(labels)
            .collect()
    }

    /// Slots that are filled from the text of the message.
    pub(super) fn costly_slots(&self) -> Vec<Slot> {
        let discovered = self.discovered.iter().map(|(_, slot)| *slot);
        discovered
            .chain(self.lambda.iter().map(|(_, _, slot)| *slot))
            .collect()
    }
}

/// The text of an expression as a key: blanks outside of quotes do not matter.
pub(super) fn without_blanks(text: &str) -> String {
    let mut quote = None;
    let keep = |character: &char| {
        match quote {
            Some(open) if *character == open => quote = None,
            None if matches!(character, '"' | '\'' | '`') => quote = Some(*character),
            _ => {}
        }
        quote.is_some() || !character.is_whitespace()
    };
    text.chars().filter(keep).collect()
}
