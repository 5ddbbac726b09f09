//! Durations as people write them.

use std::time::Duration;

use crate::failure::Failure;

/// Reads a duration such as `4s`, `500ms` or `1h30m`.
///
/// # Errors
/// A usage [`Failure`] with the text and examples. A bare number is refused: it has no unit.
pub fn parse_duration(text: &str) -> Result<Duration, Failure> {
    text.parse::<jiff::SignedDuration>()
        .ok()
        .and_then(|duration| Duration::try_from(duration).ok())
        .ok_or_else(|| {
            Failure::usage(format!("`{text}` is not a duration"))
                .hint("write a number with a unit, as in `4s`, `500ms`, `2m` or `1h30m`")
        })
}

/// The duration as it is printed: `4s`, `1h 30m`. Without spaces, so that a shell takes it for one
/// word.
pub(super) fn format_duration(duration: Duration) -> String {
    format!(
        "{:#}",
        jiff::SignedDuration::try_from(duration).unwrap_or_default()
    )
    .replace(' ', "")
}
