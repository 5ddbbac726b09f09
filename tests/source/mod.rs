//! Reading the crate's own source: enough of Rust's grammar to see which paths a file names.

use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file under `src`, by its path from there, with its code.
pub(crate) fn files() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of the crate") {
            let path = entry.expect("an entry of the folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a source file");
                let inside = path.strip_prefix(&root).expect("a file under src");
                found.push((inside.to_owned(), text));
            }
        }
    }
    found.sort();
    found
}

/// The words and signs of a text, without comments and without the contents of literals. `::` is
/// one sign; all others are single characters.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let rest = &characters[at..];
        at += match rest {
            ['/', '/', ..] => length_until(rest, &['\n']),
            ['/', '*', ..] => block_comment(rest),
            ['"', ..] => string(rest),
            ['\'', '\\', ..] => 3 + length_until(rest.get(3..).unwrap_or_default(), &['\'']),
            ['\'', _, '\'', ..] => 3,
            ['r' | 'b' | 'c', ..] if raw_string(rest).is_some() => {
                raw_string(rest).unwrap_or_default()
            }
            [first, ..] if first.is_whitespace() => 1,
            [first, ..] if is_word(*first) => {
                let length = rest.iter().take_while(|each| is_word(**each)).count();
                tokens.push(rest[..length].iter().collect());
                length
            }
            [':', ':', ..] => {
                tokens.push("::".to_owned());
                2
            }
            [sign, ..] => {
                tokens.push(sign.to_string());
                1
            }
            [] => 1,
        };
    }
    tokens
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// Characters up to and including the first of `ends`.
fn length_until(rest: &[char], ends: &[char]) -> usize {
    let before = rest.iter().take_while(|each| !ends.contains(each));
    (before.count() + 1).min(rest.len())
}

/// Block comments nest.
fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match &rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn string(rest: &[char]) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 2,
            '"' => return at + 1,
            _ => at += 1,
        }
    }
    at
}

/// Length of a raw string such as `r#"…"#` or `br"…"`, or `None` if none begins here.
fn raw_string(rest: &[char]) -> Option<usize> {
    let prefix = rest
        .iter()
        .take_while(|each| matches!(each, 'r' | 'b' | 'c'));
    let prefix = prefix.count();
    if prefix > 2 || rest[prefix - 1] != 'r' {
        return None;
    }
    let hashes = rest[prefix..]
        .iter()
        .take_while(|each| **each == '#')
        .count();
    let open = prefix + hashes;
    if rest.get(open) != Some(&'"') {
        return None;
    }
    let close: Vec<char> = std::iter::once('"').chain(vec!['#'; hashes]).collect();
    let length = rest[open + 1..]
        .windows(close.len())
        .position(|window| window == close);
    Some(length.map_or(rest.len(), |length| open + 1 + length + close.len()))
}

/// All paths that begin with the word `root`, in `use` declarations and elsewhere, without `root`
/// itself. A group gives one path for each of its members.
pub(crate) fn paths_from(root: &str, tokens: &[String]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let begins = at == 0 || tokens[at - 1] != "::" || at == 1 || !is_name(&tokens[at - 2]);
        let goes_on = tokens.get(at + 1).is_some_and(|next| next == "::");
        if token == root && begins && goes_on {
            tree(&tokens[at + 2..], &[], &mut paths);
        }
    }
    paths
}

fn is_name(token: &str) -> bool {
    token.chars().all(is_word)
}

/// Reads one tree of a `use` declaration and returns the number of tokens that it takes.
fn tree(tokens: &[String], before: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => return at + group(&tokens[at..], &path, paths),
            Some(name) if is_name(name) || name == "*" => path.push(name.to_owned()),
            // A path that goes on in a way of no interest here, as in `crate::order::<T>`.
            _ => break,
        }
        at += 1;
        if tokens.get(at).is_none_or(|next| next != "::") {
            break;
        }
        at += 1;
    }
    paths.push(path);
    at
}

fn group(tokens: &[String], before: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut at = 1;
    while let Some(token) = tokens.get(at) {
        at += match token.as_str() {
            "}" => return at + 1,
            "," => 1,
            // The new name of a renamed import.
            "as" => 2,
            _ => tree(&tokens[at..], before, paths).max(1),
        };
    }
    at
}
