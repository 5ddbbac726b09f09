//! One log file: where it is, what its first bytes tell, and how it is read.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::{ControlFlow, Range};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use flate2::read::MultiGzDecoder;

use super::aws;
use super::counters::Counters;
use super::format::{Format, InputFormat, export_time};
use super::lambda::is_lambda_line;
use super::text::{LineTimes, Visit, read_events};
use super::time::TimeReader;
use crate::failure::{Failure, nearest};

/// What is read of a file to tell its format, its first time, and whether a function wrote it.
const HEAD_BYTES: usize = 1 << 20;

/// Names in a folder that are compared with one that does not exist.
const COMPARED_NAMES: usize = 10_000;

/// A file, opened and looked at.
pub(super) struct LogFile {
    /// As it was given, for people.
    pub(super) shown: String,
    /// Its name: the log stream.
    pub(super) name: String,
    /// `@log`.
    pub(super) log: String,
    pub(super) format: Format,
    pub(super) gzip: bool,
    /// Time of the events before the first that has one; none if the head has no time.
    pub(super) first_millis: Option<i64>,
    /// Whether the head is that of the log of a Lambda function.
    pub(super) lambda: bool,
    /// Whether there is nothing in it.
    pub(super) empty: bool,
    content: Content,
}

enum Content {
    /// A file whose bytes stay where they are; of its length when it was opened, if it has one.
    Disk {
        path: PathBuf,
        length: Option<u64>,
    },
    /// Standard input, or a file that is like it. Can be read once.
    Stream(Mutex<Option<Box<dyn Read + Send>>>),
    Memory(Vec<u8>),
}

/// Called with each number of bytes that was read.
pub(super) type OnRead<'p> = &'p (dyn Fn(u64) + Sync);

impl LogFile {
    /// Opens standard input.
    pub(super) fn standard_input(wanted: InputFormat) -> Result<Self, Failure> {
        Self::stream(
            "standard input".to_owned(),
            "-",
            Box::new(io::stdin()),
            wanted,
        )
    }

    /// Opens a file.
    pub(super) fn open(path: &Path, wanted: InputFormat) -> Result<Self, Failure> {
        let shown = path.display().to_string();
        let name = path
            .file_name()
            .map_or_else(|| shown.clone(), |name| name.to_string_lossy().into_owned());
        let unreadable = |error: &io::Error| unreadable(path, &shown, error);
        let mut file = File::open(path).map_err(|error| unreadable(&error))?;
        let metadata = file.metadata().map_err(|error| unreadable(&error))?;
        if metadata.is_dir() {
            return Err(
                Failure::environment(format!("`{}` is a folder", visible(&shown)))
                    .hint("name the files in it, as in `--from folder/*.log`"),
            );
        }
        if !metadata.is_file() {
            return Self::stream(shown, &name, Box::new(file), wanted);
        }
        let head = head_of(&mut file).map_err(|error| unreadable(&error))?;
        // Files of the kernel have no length until they are read.
        let length = Some(metadata.len()).filter(|length| *length > 0);
        let path = path.to_owned();
        Self::new(shown, &name, Content::Disk { path, length }, &head, wanted)
    }

    fn stream(
        shown: String,
        name: &str,
        mut stream: Box<dyn Read + Send>,
        wanted: InputFormat,
    ) -> Result<Self, Failure> {
        let head = head_of(&mut stream).map_err(|error| {
            Failure::environment(format!("`{}` cannot be read: {error}", visible(&shown)))
        })?;
        let whole = Cursor::new(head.clone()).chain(stream);
        let content = Content::Stream(Mutex::new(Some(Box::new(whole))));
        Self::new(shown, name, content, &head, wanted)
    }

    fn new(
        shown: String,
        name: &str,
        content: Content,
        head: &[u8],
        wanted: InputFormat,
    ) -> Result<Self, Failure> {
        if let Some((what, hint)) = foreign(head) {
            return Err(
                Failure::environment(format!("`{}` is {what}", visible(&shown))).hint(hint),
            );
        }
        let gzip = head.starts_with(&[0x1f, 0x8b]);
        let unpacked;
        let head = match gzip {
            // What is wrong behind the head, or with the whole, is told when the file is read.
            true => {
                unpacked = unpacked_head(head);
                &unpacked
            }
            false => head,
        };
        let format = Format::of(wanted, head);
        let looked = look(format, head);
        Ok(Self {
            log: format!("local:{}", if name == "-" { name } else { &shown }),
            name: name.to_owned(),
            shown,
            format,
            gzip,
            first_millis: looked.first_millis,
            lambda: looked.lambda,
            empty: head.is_empty() && !gzip,
            content,
        })
    }

    /// Bytes on disk, if that is known.
    pub(super) fn length(&self) -> Option<u64> {
        match &self.content {
            Content::Disk { length, .. } => *length,
            Content::Stream(_) => None,
            Content::Memory(bytes) => Some(bytes.len() as u64),
        }
    }

    /// Where the file is, if it can be read in parts.
    pub(super) fn divisible(&self) -> Option<(&Path, u64)> {
        match &self.content {
            Content::Disk {
                path,
                length: Some(length),
            } if !self.gzip && self.format.has_lines() => Some((path, *length)),
            _ => None,
        }
    }

    /// Takes a stream into memory, so that it can be read again.
    pub(super) fn keep(&mut self) -> Result<(), Failure> {
        if let Content::Stream(stream) = &mut self.content
            && let Some(mut stream) = stream
                .get_mut()
                .unwrap_or_else(PoisonError::into_inner)
                .take()
        {
            let mut bytes = Vec::new();
            stream.read_to_end(&mut bytes).map_err(|error| {
                Failure::environment(format!(
                    "`{}` cannot be read: {error}",
                    visible(&self.shown)
                ))
            })?;
            self.content = Content::Memory(bytes);
        }
        Ok(())
    }

    /// Shows the events of the file, or of the bytes of a part of it.
    pub(super) fn read(
        &self,
        range: Option<Range<u64>>,
        on_read: OnRead<'_>,
        counters: &mut Counters,
        visit: Visit<'_>,
    ) -> io::Result<()> {
        let begin = range.as_ref().map_or(0, |range| range.start);
        let raw = Counted {
            reader: self.bytes(range)?,
            on_read,
        };
        let mut reader: Box<dyn Read + '_> = match self.gzip {
            true => Box::new(MultiGzDecoder::new(raw)),
            false => Box::new(raw),
        };
        match self.format.has_lines() {
            true => read_events(
                self.format,
                &mut reader,
                begin,
                self.first_millis,
                counters,
                visit,
            ),
            false => aws::read_documents(&mut reader, visit),
        }
    }

    fn bytes(&self, range: Option<Range<u64>>) -> io::Result<Box<dyn Read + '_>> {
        match &self.content {
            Content::Disk { path, length } => {
                let mut file = File::open(path)?;
                let range = range.or(length.map(|length| 0..length));
                Ok(match range {
                    Some(range) => {
                        file.seek(SeekFrom::Start(range.start))?;
                        Box::new(file.take(range.end - range.start))
                    }
                    None => Box::new(file),
                })
            }
            Content::Stream(stream) => {
                let stream = stream.lock().unwrap_or_else(PoisonError::into_inner).take();
                stream
                    .map(|stream| stream as Box<dyn Read>)
                    .ok_or_else(|| io::Error::other("it can be read only once"))
            }
            Content::Memory(bytes) => Ok(Box::new(bytes.as_slice())),
        }
    }
}

fn head_of(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    reader.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// What comes out of a compressed head, which may end anywhere.
fn unpacked_head(head: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    let decoder = MultiGzDecoder::new(head);
    // An error at the end of the head is none of the file.
    let _ = decoder.take(HEAD_BYTES as u64).read_to_end(&mut unpacked);
    unpacked
}

/// Why a file cannot be read, with the name that was probably meant.
fn unreadable(path: &Path, shown: &str, error: &io::Error) -> Failure {
    if error.kind() != io::ErrorKind::NotFound {
        let shown = visible(shown);
        return Failure::environment(format!("`{shown}` cannot be read: {error}"));
    }
    let failure = Failure::environment(format!(
        "there is no file `{}` (yet), which is not the same as a log without events",
        visible(shown)
    ));
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = fs::read_dir(folder) else {
        let folder = visible(&folder.display().to_string());
        return failure.hint(format!("there is no folder `{folder}` either"));
    };
    let names = entries.take(COMPARED_NAMES).filter_map(Result::ok);
    let mut names: Vec<String> = names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort();
    let wanted = path.file_name().map(|name| name.to_string_lossy());
    let near = nearest(
        &wanted.unwrap_or_default(),
        names.iter().map(String::as_str),
    );
    match near {
        Some(near) => {
            let near = path.with_file_name(near).display().to_string();
            failure.hint(format!("did you mean `{}`?", visible(&near)))
        }
        None => failure,
    }
}

/// Formats that are not read, by their first bytes: what it is, and what to do.
fn foreign(head: &[u8]) -> Option<(&'static str, &'static str)> {
    const UNPACK: &str = "unpack it and pipe it in, as in `zstdcat FILE | lab query … --from -`";
    const KINDS: [(&[u8], &str, &str); 6] = [
        (b"\x28\xb5\x2f\xfd", "compressed with zstd", UNPACK),
        (
            b"\xfd7zXZ\0",
            "compressed with xz",
            "unpack it and pipe it in, as in `xzcat FILE | lab query … --from -`",
        ),
        (
            b"BZh",
            "compressed with bzip2",
            "unpack it and pipe it in, as in `bzcat FILE | lab query … --from -`",
        ),
        (
            b"PK\x03\x04",
            "a zip archive",
            "unpack it and name the files in it",
        ),
        (
            b"\xff\xfe",
            "UTF-16",
            "write it as UTF-8, as in `iconv -f UTF-16 -t UTF-8`",
        ),
        (
            b"\xfe\xff",
            "UTF-16",
            "write it as UTF-8, as in `iconv -f UTF-16 -t UTF-8`",
        ),
    ];
    let kind = KINDS.iter().find(|(begin, _, _)| head.starts_with(begin));
    kind.map(|(_, what, hint)| (*what, *hint))
}

struct Looked {
    first_millis: Option<i64>,
    lambda: bool,
}

/// Looks at the events in the head of a file.
fn look(format: Format, head: &[u8]) -> Looked {
    let mut looked = Looked {
        first_millis: None,
        lambda: false,
    };
    if format == Format::AwsJson {
        // The head may end anywhere; what is wrong with the file is told when it is read.
        let _ = aws::read_documents(&mut &*head, &mut |event| {
            looked.first_millis = looked.first_millis.or(event.time_millis);
            looked.lambda |= is_lambda_line(event.message.as_bytes());
            ControlFlow::Continue(())
        });
        return looked;
    }
    let mut times = LineTimes::new(format);
    let mut export_times = TimeReader::default();
    for line in head.split(|byte| *byte == b'\n') {
        if looked.first_millis.is_none() {
            let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
            looked.first_millis = times.of_line(line);
        }
        let message = match format {
            Format::Export => export_time(&mut export_times, line)
                .and_then(|(_, length)| line.get(length..))
                .unwrap_or(line),
            _ => line,
        };
        looked.lambda |= is_lambda_line(message);
        if looked.lambda && looked.first_millis.is_some() {
            break;
        }
    }
    looked
}

/// A name from outside, without what a terminal would obey.
pub(super) fn visible(name: &str) -> String {
    let shown = name.chars().map(|character| match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    });
    shown.collect()
}

/// Tells how much was read.
struct Counted<'p, R> {
    reader: R,
    on_read: OnRead<'p>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        (self.on_read)(count as u64);
        Ok(count)
    }
}
