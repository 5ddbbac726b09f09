//! Where a file may be cut, so that its parts give the same events as the whole.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::file::LogFile;
use super::text::LineTimes;

/// How far behind a wanted cut a place for it is looked for.
const SEARCHED_BYTES: u64 = 16 << 20;

/// The first place at or behind `wanted` where the file may be cut: the beginning of a line that
/// has a time of its own if the file has times (a line without one takes that of the line before,
/// which would be in another part).
pub(super) fn cut_behind(file: &LogFile, path: &Path, wanted: u64) -> io::Result<Option<u64>> {
    if wanted == 0 {
        return Ok(None);
    }
    let mut reader = File::open(path)?;
    // If the byte before is the end of a line, the place itself is the beginning of one.
    reader.seek(SeekFrom::Start(wanted - 1))?;
    let mut reader = BufReader::with_capacity(1 << 16, reader.take(SEARCHED_BYTES));
    let mut place = wanted - 1 + reader.skip_until(b'\n')? as u64;
    let mut times = LineTimes::new(file.format);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)? as u64;
        if line.last() != Some(&b'\n') {
            return Ok(None);
        }
        if file.first_millis.is_none() || times.of_line(&line).is_some() {
            return Ok(Some(place));
        }
        place += length;
    }
}
