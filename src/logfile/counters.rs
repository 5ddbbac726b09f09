//! What was met while files were read.

/// Counts over the files of a query. A file that is read more than once counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Events shown to the query, whether they lie in its time range or not.
    pub events: u64,
    /// Lines with bytes that are not UTF-8.
    pub invalid_lines: u64,
    /// Lines beyond [`LONGEST_LINE_BYTES`](super::LONGEST_LINE_BYTES).
    pub cut_lines: u64,
    /// Earliest and latest time of the events that have one, milliseconds since 1970.
    pub span_millis: Option<(i64, i64)>,
}

impl Counters {
    /// Counts an event.
    pub(super) fn event(&mut self, time_millis: Option<i64>) {
        self.events += 1;
        if let Some(millis) = time_millis {
            self.span_millis = Some(match self.span_millis {
                Some((earliest, latest)) => (earliest.min(millis), latest.max(millis)),
                None => (millis, millis),
            });
        }
    }

    pub(super) fn add(&mut self, other: Counters) {
        self.events += other.events;
        self.invalid_lines += other.invalid_lines;
        self.cut_lines += other.cut_lines;
        self.span_millis = match (self.span_millis, other.span_millis) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
    }
}
