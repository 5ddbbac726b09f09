//! The files of a query.

use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::counters::Counters;
use super::file::{LogFile, visible};
use super::format::InputFormat;
use super::part::{Part, Piece, Progress};
use super::split::cut_behind;
use crate::failure::{Failure, nearest};
use crate::insights::{GroupSelection, Groups};

/// The name of standard input among files.
pub const STANDARD_INPUT: &str = "-";

/// Bytes from which on files are read in parts, by one thread each. One thread does less faster.
const DIVIDED_BYTES: u64 = 16 << 20;

/// Parts of a divided reading. A constant, not the number of processors, because the order in
/// which parts are added up shows in the last digits of an average.
const PARTS: u64 = 4;

/// Files, opened and looked at, as the log streams of a query.
pub struct Logs {
    files: Vec<LogFile>,
    pub(super) counters: Mutex<Counters>,
}

impl Logs {
    /// Opens files in the order in which their events arrived; [`STANDARD_INPUT`] is one.
    ///
    /// # Errors
    /// A usage [`Failure`] if a file is given twice, whose events would count twice; an environment
    /// [`Failure`] for the first file that cannot be read.
    pub fn open(paths: &[PathBuf], format: InputFormat) -> Result<Self, Failure> {
        let mut seen = HashSet::new();
        for path in paths {
            let place = path.canonicalize().unwrap_or_else(|_| path.clone());
            if !seen.insert(place) {
                let shown = visible(&path.display().to_string());
                return Err(Failure::usage(format!(
                    "`{shown}` is given twice, so its events would count twice"
                )));
            }
        }
        let open = |path: &PathBuf| match path.as_path() == Path::new(STANDARD_INPUT) {
            true => LogFile::standard_input(format),
            false => LogFile::open(path, format),
        };
        Ok(Self {
            files: paths.iter().map(open).collect::<Result<_, _>>()?,
            counters: Mutex::default(),
        })
    }

    /// Whether a file is the log of a Lambda function.
    pub fn are_of_lambda(&self) -> bool {
        self.files.iter().any(|file| file.lambda)
    }

    /// Bytes of all files, as they lie on disk; streams do not count.
    pub fn bytes(&self) -> u64 {
        self.files.iter().filter_map(LogFile::length).sum()
    }

    /// Names of the files in whose beginning no event has a time. Time ranges do not apply to
    /// them.
    pub fn without_times(&self) -> Vec<String> {
        let timeless = self
            .files
            .iter()
            .filter(|file| file.first_millis.is_none() && !file.empty);
        timeless.map(|file| visible(&file.shown)).collect()
    }

    /// One line per file: name, format, first time.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        for file in &self.files {
            let gzip = if file.gzip { ", gzip" } else { "" };
            let lambda = if file.lambda {
                ", of a Lambda function"
            } else {
                ""
            };
            let times = match file.first_millis.map(jiff::Timestamp::from_millisecond) {
                Some(Ok(first)) => format!("times from {first:.3} on"),
                _ => "no times".to_owned(),
            };
            let name = visible(&file.shown);
            let line = writeln!(text, "{name}: {}{gzip}{lambda}, {times}", file.format);
            line.expect("writing into a string cannot fail");
        }
        text
    }

    /// Checks that every log group a query names is one of the files.
    ///
    /// # Errors
    /// A usage [`Failure`] with the nearest file.
    pub fn check_groups(&self, sources: &[&Groups]) -> Result<(), Failure> {
        let named = sources.iter().filter_map(|groups| match groups {
            Groups::Named(names) => Some(names),
            _ => None,
        });
        for name in named.flatten() {
            if self.files.iter().any(|file| is_called(file, name)) {
                continue;
            }
            let known = self.files.iter().map(|file| file.name.as_str());
            let failure = Failure::usage(format!(
                "the query reads the group `{}`, which is none of the files",
                visible(name)
            ));
            return Err(match nearest(name, known) {
                Some(near) => failure.hint(format!("did you mean `{}`?", visible(near))),
                None => {
                    failure.hint("name the file with `--from`; its name or path is the group's")
                }
            });
        }
        Ok(())
    }

    /// Takes streams into memory, for a query that reads more than once.
    ///
    /// # Errors
    /// An environment [`Failure`] if one cannot be read.
    pub fn keep_streams(&mut self) -> Result<(), Failure> {
        self.files.iter_mut().try_for_each(LogFile::keep)
    }

    /// The files in parts that can be read at the same time: one part if they are small.
    pub fn parts<'l>(&'l self, progress: &'l dyn Progress) -> Vec<Part<'l>> {
        let total = self.bytes();
        let count = if total < DIVIDED_BYTES { 1 } else { PARTS };
        let part_at = |position: u64| {
            let part = (position * count / total.max(1)).min(count - 1);
            usize::try_from(part).unwrap_or_default()
        };
        let borders: Vec<u64> = (1..count).map(|part| total * part / count).collect();
        let mut pieces: Vec<Vec<Piece<'l>>> = (0..count).map(|_| Vec::new()).collect();
        let mut before = 0;
        for (number, file) in self.files.iter().enumerate() {
            let mut begin = 0;
            for cut in cuts(file, before, &borders) {
                pieces[part_at(before + begin)].push(Piece::new(file, number, Some(begin..cut)));
                begin = cut;
            }
            let rest = file.divisible().map(|(_, length)| begin..length);
            pieces[part_at(before + begin)].push(Piece::new(file, number, rest));
            before += file.length().unwrap_or_default();
        }
        let parts = pieces.into_iter();
        parts
            .map(|pieces| Part::new(self, pieces, progress))
            .collect()
    }

    /// What was met in the parts that were read.
    pub fn counters(&self) -> Counters {
        *self.counters.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Where the borders between parts cut the file that has so many bytes before it.
fn cuts(file: &LogFile, before: u64, borders: &[u64]) -> Vec<u64> {
    let Some((path, length)) = file.divisible() else {
        return Vec::new();
    };
    let inside = borders
        .iter()
        .filter(|border| (before..before + length).contains(border));
    // Where it cannot be cut it stays whole. If it cannot be read, reading it tells.
    let mut cuts: Vec<u64> = inside
        .filter_map(|border| cut_behind(file, path, border - before).ok().flatten())
        .filter(|cut| *cut < length)
        .collect();
    cuts.dedup();
    cuts
}

/// A file is a group by its path or by its name.
fn is_called(file: &LogFile, group: &str) -> bool {
    file.shown == group || file.name == group
}

/// Whether a query over the groups reads the file.
pub(super) fn belongs(file: &LogFile, groups: &Groups) -> bool {
    match groups {
        Groups::Default => true,
        Groups::Named(names) => names.iter().any(|name| is_called(file, name)),
        Groups::Selected(selection) => is_selected(file, selection),
    }
}

fn is_selected(file: &LogFile, selection: &GroupSelection) -> bool {
    let empty_or = |list: &[String], matches: &dyn Fn(&str) -> bool| {
        list.is_empty() || list.iter().any(|entry| matches(entry))
    };
    empty_or(&selection.name_prefixes, &|prefix| {
        file.shown.starts_with(prefix) || file.name.starts_with(prefix)
    }) && empty_or(&selection.account_identifiers, &|account| {
        account == "local"
    }) && empty_or(&selection.classes, &|class| class == "STANDARD")
}
