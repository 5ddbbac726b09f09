//! What brings several log groups together: `SOURCE` and `join`.

use super::lexer::Token;
use super::parser::Parser;
use super::tree::{CommandKind, Join, Name};
use crate::insights::diagnosis::Fault;
use crate::insights::record::{GroupSelection, Groups};

impl Parser<'_> {
    pub(super) fn join(&mut self) -> Result<CommandKind, Fault> {
        let mut keep_unmatched = false;
        let (mut left, mut right) = (None, None);
        loop {
            if self.at_word("type") {
                self.option_name()?;
                keep_unmatched = match self.word().map(str::to_ascii_lowercase).as_deref() {
                    Some("inner") => false,
                    Some("left") => true,
                    _ => return Err(self.unexpected("`inner` or `left`")),
                };
                self.advance()?;
            } else if self.at_word("left") {
                self.option_name()?;
                left = Some(self.name("a name for the left side")?);
            } else if self.at_word("right") {
                self.option_name()?;
                right = Some(self.name("a name for the right side")?);
            } else {
                break;
            }
        }
        let (Some(left), Some(right)) = (left, right) else {
            return Err(self.unexpected("`left=name right=name`"));
        };
        if left.text == right.text {
            let message = format!("both sides of the join are called `{}`", left.text);
            return Err(Fault::new(right.span, message));
        }
        if !self.take_word("where")? {
            return Err(self.unexpected("`where` behind the names of the join"));
        }
        let first = self.join_key(&left, &right)?;
        self.expect_symbol("=", "between the two fields")?;
        let second = self.join_key(&left, &right)?;
        let (left_key, right_key) = match (first, second) {
            ((true, first), (false, second)) => (first, second),
            ((false, first), (true, second)) => (second, first),
            (_, (_, second)) => {
                let message = "`where` compares a field of the left side with one of the right";
                return Err(Fault::new(second.span, message));
            }
        };
        let script = self.subquery()?;
        Ok(CommandKind::Join(Box::new(Join {
            keep_unmatched,
            left,
            right,
            left_key,
            right_key,
            script,
        })))
    }

    /// `side.field`: whether it is the left side, and the field.
    fn join_key(&mut self, left: &Name, right: &Name) -> Result<(bool, Name), Fault> {
        let expected = format!("`{}.field` or `{}.field`", left.text, right.text);
        let Token::Name { path, .. } = self.token.clone() else {
            return Err(self.unexpected(&expected));
        };
        let parts = path.split_once('.');
        let side = match parts {
            Some((side, _)) if side == left.text => true,
            Some((side, _)) if side == right.text => false,
            _ => return Err(self.unexpected(&expected)),
        };
        let (_, span) = self.advance()?;
        let text = parts.map_or(String::new(), |(_, field)| field.to_owned());
        Ok((side, Name { text, span }))
    }

    /// `SOURCE 'a', 'b'` or `SOURCE logGroups(namePrefix: [..], …)`.
    pub(super) fn source_clause(&mut self) -> Result<Groups, Fault> {
        self.advance()?;
        if self.take_word("logGroups")? {
            return self.group_selection();
        }
        let mut names = Vec::new();
        loop {
            let (name, span) = self.expect_string("a log group in quotes, or `logGroups(…)`")?;
            if name.is_empty() {
                return Err(Fault::new(span, "the name of the log group is empty"));
            }
            names.push(name);
            if !self.take_symbol(",")? {
                return Ok(Groups::Named(names));
            }
        }
    }

    fn group_selection(&mut self) -> Result<Groups, Fault> {
        const ARGUMENTS: [&str; 3] = ["namePrefix", "accountIdentifiers", "class"];
        self.expect_symbol("(", "behind `logGroups`")?;
        let mut selection = GroupSelection::default();
        while !self.at_symbol(")") {
            let Some(word) = self.word().map(str::to_owned) else {
                return Err(self.unexpected("`namePrefix`, `accountIdentifiers` or `class`"));
            };
            let (values, most) = match word.to_ascii_lowercase().as_str() {
                "nameprefix" => (&mut selection.name_prefixes, 5),
                "accountidentifiers" => (&mut selection.account_identifiers, 20),
                "class" => (&mut selection.classes, 2),
                _ => {
                    return Err(self
                        .unexpected("`namePrefix`, `accountIdentifiers` or `class`")
                        .nearest(&word, ARGUMENTS));
                }
            };
            let span = self.span;
            self.advance()?;
            self.expect_symbol(":", "behind the argument")?;
            self.expect_symbol("[", "before the list")?;
            while !self.at_symbol("]") {
                values.push(self.expect_string("a string in the list")?.0);
                if !self.take_symbol(",")? && !self.at_symbol("]") {
                    return Err(self.unexpected("`,` or `]` in the list"));
                }
            }
            self.advance()?;
            if values.len() > most {
                let message = format!("`{word}` takes at most {most} values");
                return Err(Fault::new(span, message));
            }
            if !self.take_symbol(",")? && !self.at_symbol(")") {
                return Err(self.unexpected("`,` or `)` behind the list"));
            }
        }
        self.advance()?;
        Ok(Groups::Selected(selection))
    }
}
