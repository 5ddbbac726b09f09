//! `pattern` and `diff`: messages by the text that they share.
//!
//! CloudWatch learns its patterns; here every word with a digit in it is a variable.

use super::groups::Keys;
use super::rows::{Budget, Memory, Row};
use crate::insights::diagnosis::RunError;
use crate::insights::value::Value;

/// How a pattern shows a part that varies.
const VARIABLE: &str = "<*>";

pub(super) struct PatternTable {
    keys: Keys,
    /// Events in the window and in the earlier one.
    counts: Vec<[u64; 2]>,
    compares: bool,
    budget: Budget,
    pattern: String,
}

impl PatternTable {
    pub(super) fn new(compares: bool, memory: Memory) -> Self {
        Self {
            keys: Keys::default(),
            counts: Vec::new(),
            compares,
            budget: Budget::new(memory, "the patterns"),
            pattern: String::new(),
        }
    }

    pub(super) fn push(&mut self, text: &Value<'_>, earlier: bool) -> Result<(), RunError> {
        if let Some(text) = text.show() {
            self.pattern.clear();
            write_pattern(&text, &mut self.pattern);
            let pattern = std::mem::take(&mut self.pattern);
            let mut counts = [0, 0];
            counts[usize::from(earlier)] = 1;
            self.add(pattern.as_bytes(), counts)?;
            self.pattern = pattern;
        }
        Ok(())
    }

    fn add(&mut self, pattern: &[u8], counts: [u64; 2]) -> Result<(), RunError> {
        let (index, new) = self.keys.insert(pattern);
        if new {
            self.counts.push([0, 0]);
            self.budget.take(pattern.len() + Keys::BYTES_PER_KEY + 16)?;
        }
        for (count, more) in self.counts[index].iter_mut().zip(counts) {
            *count += more;
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &PatternTable) -> Result<(), RunError> {
        self.budget.absorb(other.budget);
        for (index, counts) in other.counts.iter().enumerate() {
            self.add(other.keys.get(index), *counts)?;
        }
        Ok(())
    }

    /// The most frequent first; with a comparison, what changed most.
    pub(super) fn finish(self) -> Vec<Row> {
        let total: u64 = self.counts.iter().map(|counts| counts[0]).sum();
        let mut indexes: Vec<usize> = (0..self.counts.len()).collect();
        let weight = |index: &usize| {
            let [now, before] = self.counts[*index];
            if self.compares {
                now.abs_diff(before)
            } else {
                now
            }
        };
        indexes.sort_by_key(|index| std::cmp::Reverse(weight(index)));
        let row = |index: usize| {
            let [now, before] = self.counts[index];
            let pattern = String::from_utf8_lossy(self.keys.get(index)).into_owned();
            let severity = severity(&pattern).map_or(Value::Absent, Value::borrowed);
            let pattern = Value::text(pattern);
            if !self.compares {
                let ratio = Value::number(now as f64 / total as f64);
                return vec![pattern, ratio, Value::Ordinal(now), severity];
            }
            let difference = now as f64 - before as f64;
            let percent = Value::number(difference / before as f64 * 100.0);
            vec![
                pattern,
                Value::Ordinal(now),
                Value::Ordinal(before),
                Value::Number(difference),
                percent,
                severity,
            ]
        };
        indexes.into_iter().map(row).collect()
    }
}

/// Words are letters, digits and what joins the parts of ids, times and addresses.
fn write_pattern(text: &str, pattern: &mut String) {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '+');
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let word_end = rest.find(|c: char| !in_word(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(word_end);
        if word.contains(|c: char| c.is_ascii_digit()) {
            pattern.push_str(VARIABLE);
        } else {
            pattern.push_str(word);
        }
        let gap_end = behind.find(in_word).unwrap_or(behind.len());
        let (gap, behind) = behind.split_at(gap_end);
        pattern.push_str(gap);
        rest = behind;
    }
}

fn severity(pattern: &str) -> Option<&'static str> {
    const SEVERITIES: [(&str, &str); 8] = [
        ("FATAL", "FATAL"),
        ("CRITICAL", "FATAL"),
        ("ERROR", "ERROR"),
        ("EXCEPTION", "ERROR"),
        ("WARN", "WARN"),
        ("INFO", "INFO"),
        ("DEBUG", "DEBUG"),
        ("TRACE", "TRACE"),
    ];
    let upper = pattern.to_uppercase();
    SEVERITIES
        .iter()
        .find(|(word, _)| upper.contains(word))
        .map(|(_, label)| *label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_digits_vary() {
        let mut pattern = String::new();
        write_pattern(
            "2026-09-20T20:58:23.240Z order ORDER-003 took 12ms, ok\n",
            &mut pattern,
        );
        assert_eq!(pattern, "<*> order <*> took <*>, ok");
    }
}
