//! Lines of a file of any size, in blocks.

use std::borrow::Cow;
use std::io::{self, ErrorKind, Read};
use std::ops::ControlFlow;

use super::counters::Counters;

/// The longest line that is read whole, in bytes: 16 MiB. What goes beyond is left out, with a
/// warning. (An event of CloudWatch Logs has at most 1 MiB.)
pub const LONGEST_LINE_BYTES: usize = 16 << 20;

/// What is read at a time; the buffer grows only for lines that are longer.
const BLOCK_BYTES: usize = 1 << 20;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Shows each line that is not empty, without its end, and its position, which is counted from
/// `position`. Bytes that are not UTF-8 are replaced. A byte order mark at position 0 is left out.
pub(super) fn read_lines(
    reader: &mut dyn Read,
    position: u64,
    counters: &mut Counters,
    visit: &mut dyn FnMut(u64, &str) -> ControlFlow<()>,
) -> io::Result<()> {
    let mut lines = Lines {
        counters,
        visit,
        position,
    };
    let mut buffer = vec![0; BLOCK_BYTES];
    let mut filled = 0;
    // Whether the rest of a line is being left out.
    let mut cutting = false;
    loop {
        if filled == buffer.len() {
            if filled <= LONGEST_LINE_BYTES {
                // One byte more tells whether the line goes on.
                buffer.resize((filled * 2).min(LONGEST_LINE_BYTES + 1), 0);
            } else {
                if !cutting {
                    lines.counters.cut_lines += 1;
                    if lines.cut(&buffer[..LONGEST_LINE_BYTES]).is_break() {
                        return Ok(());
                    }
                    cutting = true;
                }
                lines.position += filled as u64;
                filled = 0;
            }
        }
        let count = match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let fresh = filled;
        filled += count;
        let mut begin = 0;
        if cutting {
            let Some(at) = memchr::memchr(b'\n', &buffer[fresh..filled]) else {
                lines.position += filled as u64;
                filled = 0;
                continue;
            };
            begin = fresh + at + 1;
            lines.position += begin as u64;
            cutting = false;
        }
        let seen = fresh.max(begin);
        if let Some(at) = memchr::memrchr(b'\n', &buffer[seen..filled]) {
            let end = seen + at + 1;
            if lines.block(&buffer[begin..end]).is_break() {
                return Ok(());
            }
            begin = end;
        }
        buffer.copy_within(begin..filled, 0);
        filled -= begin;
    }
    if !cutting {
        // The end does not matter any more.
        let _ = lines.block(&buffer[..filled]);
    }
    Ok(())
}

struct Lines<'a> {
    counters: &'a mut Counters,
    visit: &'a mut dyn FnMut(u64, &str) -> ControlFlow<()>,
    /// Of the beginning of the next block.
    position: u64,
}

impl Lines<'_> {
    /// Takes whole lines; the end of the last one may be missing.
    fn block(&mut self, block: &[u8]) -> ControlFlow<()> {
        // One check of the block is cheaper than one of each line.
        match std::str::from_utf8(block) {
            Ok(text) => {
                let mut begin = 0;
                for end in memchr::memchr_iter(b'\n', block).chain(once_at_end(block)) {
                    self.line(begin, &text[begin..end])?;
                    begin = end + 1;
                }
            }
            Err(_) => {
                let mut begin = 0;
                for end in memchr::memchr_iter(b'\n', block).chain(once_at_end(block)) {
                    let line = String::from_utf8_lossy(&block[begin..end]);
                    self.counters.invalid_lines += u64::from(matches!(line, Cow::Owned(_)));
                    self.line(begin, &line)?;
                    begin = end + 1;
                }
            }
        }
        self.position += block.len() as u64;
        ControlFlow::Continue(())
    }

    fn line(&mut self, begin: usize, line: &str) -> ControlFlow<()> {
        let position = self.position + begin as u64;
        let mut line = line.strip_suffix('\r').unwrap_or(line);
        if position == 0 {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        match line.is_empty() {
            true => ControlFlow::Continue(()),
            false => (self.visit)(position, line),
        }
    }

    /// Takes the beginning of a line that is too long.
    fn cut(&mut self, beginning: &[u8]) -> ControlFlow<()> {
        // The cut may go through a character, which is then no fault of the file.
        let whole = match std::str::from_utf8(beginning) {
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            _ => beginning.len(),
        };
        let line = String::from_utf8_lossy(&beginning[..whole]);
        self.counters.invalid_lines += u64::from(matches!(line, Cow::Owned(_)));
        self.line(0, &line)
    }
}

/// The end of the block as the end of a line, if it does not end with one.
fn once_at_end(block: &[u8]) -> Option<usize> {
    match block.last() {
        None | Some(b'\n') => None,
        Some(_) => Some(block.len()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Gives a few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn lines(bytes: &[u8], step: usize) -> (Vec<(u64, String)>, Counters) {
        let mut counters = Counters::default();
        let mut found = Vec::new();
        let mut visit = |position: u64, line: &str| {
            found.push((position, line.to_owned()));
            ControlFlow::Continue(())
        };
        let read = read_lines(&mut Trickle(bytes, step), 0, &mut counters, &mut visit);
        read.expect("memory can be read");
        (found, counters)
    }

    fn texts(bytes: &[u8]) -> Vec<String> {
        let (found, _) = lines(bytes, usize::MAX);
        found.into_iter().map(|(_, line)| line).collect()
    }

    #[test]
    fn ends_of_lines_marks_and_empty_lines_are_left_out() {
        assert_eq!(texts(b""), [""; 0]);
        assert_eq!(texts(b"\n\r\n\n"), [""; 0]);
        assert_eq!(texts(b"a"), ["a"]);
        assert_eq!(texts(b"a\r\nb\n\nc"), ["a", "b", "c"]);
        assert_eq!(texts("\u{feff}a\n\u{feff}b".as_bytes()), ["a", "\u{feff}b"]);
        assert_eq!(texts(b"a\rb\n \0\n"), ["a\rb", " \0"]);
    }

    #[test]
    fn positions_are_those_of_the_bytes() {
        let (found, _) = lines("é\n\nb\r\nc".as_bytes(), 2);
        let positions: Vec<u64> = found.iter().map(|(position, _)| *position).collect();
        assert_eq!(positions, [0, 4, 7]);
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_replaced_and_their_lines_counted() {
        let (found, counters) = lines(b"a\n\xff b \xfe\nc\n\xe2\x82", usize::MAX);
        let texts: Vec<&str> = found.iter().map(|(_, line)| line.as_str()).collect();
        assert_eq!(texts, ["a", "\u{fffd} b \u{fffd}", "c", "\u{fffd}"]);
        assert_eq!(counters.invalid_lines, 2);
    }

    #[test]
    fn a_line_beyond_the_limit_is_cut_between_characters() {
        let mut log = b"first\nx".to_vec();
        let euros = LONGEST_LINE_BYTES / 3 + 2;
        log.extend("€".repeat(euros).bytes());
        log.extend(b"\nlast");
        let (found, counters) = lines(&log, 1 << 16);
        assert_eq!((counters.cut_lines, counters.invalid_lines), (1, 0));
        assert_eq!(found.len(), 3);
        assert_eq!(found[1].0, 6);
        assert_eq!(found[1].1.len(), 1 + (LONGEST_LINE_BYTES - 1) / 3 * 3);
        assert_eq!(found[2], (log.len() as u64 - 4, "last".to_owned()));
        // The same when the long line is the last one.
        let (found, counters) = lines(&log[..log.len() - 5], usize::MAX);
        assert_eq!((found.len(), counters.cut_lines), (2, 1));
        let (found, counters) = lines(&vec![b'x'; LONGEST_LINE_BYTES], usize::MAX);
        assert_eq!(found[0].1.len(), LONGEST_LINE_BYTES);
        assert_eq!(counters.cut_lines, 0);
    }

    #[test]
    fn reading_stops_when_no_more_lines_are_wanted() {
        let mut seen = 0;
        let mut visit = |_: u64, _: &str| {
            seen += 1;
            ControlFlow::Break(())
        };
        let read = read_lines(&mut &b"a\nb\n"[..], 0, &mut Counters::default(), &mut visit);
        assert!(read.is_ok());
        assert_eq!(seen, 1);
    }

    proptest! {
        #[test]
        fn the_steps_of_the_reader_do_not_show(
            log in prop::collection::vec(prop::sample::select(b"ab\r\n\xc3\xa9 ".to_vec()), 0..60),
            step in 1_usize..9,
        ) {
            prop_assert_eq!(lines(&log, step), lines(&log, usize::MAX));
        }
    }
}
