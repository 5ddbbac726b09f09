//! What AWS does not document, decided: one constant per choice. Each is marked UNVERIFIED in the
//! project's notes on the service; when a measurement settles one, it is changed here and nowhere
//! else.

/// Rows of a query that has no `limit` and no `limit` of the call. (The `limit` page of the user
/// guide says 10,000; consoles before 2025 said 1,000.)
pub(super) const DEFAULT_LIMIT: u64 = 10_000;

/// The largest `limit` (StartQuery, since April 2026).
pub(super) const LARGEST_LIMIT: u64 = 100_000;

/// Characters of a query (StartQuery, `queryString`).
pub(super) const LONGEST_QUERY: usize = 10_000;

/// When both the call and the query give a limit, both hold: the smaller one wins. Undocumented.
pub(super) const CALL_LIMITS_A_LIMITED_QUERY: bool = true;

/// A sort key without `asc` or `desc` is sorted downwards. Undocumented; other emulators assume
/// the same.
pub(super) const SORT_DESCENDS_BY_DEFAULT: bool = true;

/// Digits after the point to which computed numbers are rounded in results; zeros at the end are
/// dropped. Undocumented; results seen in public have four.
pub(super) const FRACTION_DIGITS: usize = 4;

/// From this magnitude on computed numbers are written with an exponent. Undocumented.
pub(super) const EXPONENT_FROM: f64 = 1e18;

/// A comparison with an absent field is false, except that an absent field differs from every
/// value (`!=`). `not`, `not like` and `not in` are the opposite of what they negate. Undocumented.
pub(super) const ABSENT_DIFFERS: bool = true;

/// `stats` without `by` over no events gives one row, in which counts are 0. Undocumented.
pub(super) const UNGROUPED_STATS_ALWAYS_GIVE_A_ROW: bool = true;

/// A JSON `true` reads as 1 and `false` as 0, as the results of boolean functions do. Undocumented.
pub(super) const TRUE_TEXT: &str = "1";
/// See [`TRUE_TEXT`].
pub(super) const FALSE_TEXT: &str = "0";

/// A division by zero (and any other number that is not finite) has no value: the field is absent.
/// Undocumented.
pub(super) const fn finite(number: f64) -> Option<f64> {
    if number.is_finite() {
        Some(number)
    } else {
        None
    }
}

/// How many `{` of a message are tried as the beginning of its first JSON fragment.
pub(super) const FRAGMENT_ATTEMPTS: usize = 8;

/// Columns of a `diff`: how often a pattern occurs in the window, how often it did in the earlier
/// one, and the difference of the two, absolute and in percent. Undocumented.
pub(super) const DIFF_COLUMNS: &[&str] = &[
    "@pattern",
    "@sampleCount",
    "@previousSampleCount",
    "@difference",
    "@differencePercent",
    "@severityLabel",
];

/// `pct(x, p)` is the smallest value that at least `p` percent of the values do not exceed
/// (nearest rank); nothing is interpolated. Undocumented. Gives the index among `count` sorted
/// values.
pub(super) fn percentile_index(count: usize, percent: f64) -> usize {
    let rank = (percent / 100.0 * count as f64).ceil() as usize;
    rank.clamp(1, count.max(1)) - 1
}

/// `stddev` divides by the number of values (population), not by one less. Undocumented.
pub(super) const DEVIATION_OF_SAMPLE: bool = false;

/// `sum` over no numbers is 0, not absent. Undocumented.
pub(super) const SUM_OF_NOTHING_IS_ZERO: bool = true;
