//! The table of functions. Names are matched whatever their case; AWS documents one spelling.

use super::{network, numeric, text};
use crate::insights::discover;
use crate::insights::value::Value;

/// A function of values only.
pub(crate) struct Definition {
    pub(crate) name: &'static str,
    /// Fewest and most arguments.
    pub(crate) least: usize,
    pub(crate) most: usize,
    pub(crate) run: for<'r> fn(&mut [Value<'r>]) -> Value<'r>,
}

const fn define(
    name: &'static str,
    least: usize,
    most: usize,
    run: for<'r> fn(&mut [Value<'r>]) -> Value<'r>,
) -> Definition {
    Definition {
        name,
        least,
        most,
        run,
    }
}

const MANY: usize = 64;

static SCALARS: [Definition; 38] = [
    define("abs", 1, 1, |v| numeric::unary(v, f64::abs)),
    define("ceil", 1, 1, |v| numeric::unary(v, f64::ceil)),
    define("floor", 1, 1, |v| numeric::unary(v, f64::floor)),
    define("round", 1, 2, numeric::round),
    define("sqrt", 1, 1, |v| numeric::unary(v, f64::sqrt)),
    define("log", 1, 1, |v| numeric::unary(v, f64::ln)),
    define("greatest", 1, MANY, |v| numeric::extreme(v, f64::max)),
    define("least", 1, MANY, |v| numeric::extreme(v, f64::min)),
    define("haversine", 4, 4, numeric::haversine),
    define("ispresent", 1, 1, |v| Value::Truth(!v[0].is_absent())),
    define("isempty", 1, 1, text::is_empty),
    define("isblank", 1, 1, text::is_blank),
    define("concat", 1, MANY, text::concat),
    define("trim", 1, 2, |v| text::trim(v, true, true)),
    define("ltrim", 1, 2, |v| text::trim(v, true, false)),
    define("rtrim", 1, 2, |v| text::trim(v, false, true)),
    define("strlen", 1, 1, text::length),
    define("toupper", 1, 1, |v| {
        text::map(&mut v[0], |text| text.to_uppercase().into())
    }),
    define("tolower", 1, 1, |v| {
        text::map(&mut v[0], |text| text.to_lowercase().into())
    }),
    define("substr", 2, 3, text::substring),
    define("replace", 3, 3, text::replace),
    define("strcontains", 2, 2, |v| {
        text::test(v, |text, part| text.contains(part))
    }),
    define("startsWith", 2, 2, |v| {
        text::test(v, |text, part| text.starts_with(part))
    }),
    define("endsWith", 2, 2, |v| {
        text::test(v, |text, part| text.ends_with(part))
    }),
    define("urlencode", 1, 1, |v| {
        text::map(&mut v[0], text::url_encode)
    }),
    define("urldecode", 1, 1, |v| {
        text::map(&mut v[0], text::url_decode)
    }),
    define("base64encode", 1, 1, |v| {
        text::map(&mut v[0], text::base64_encode)
    }),
    define("base64decode", 1, 1, text::base64_decode),
    define("jsonParse", 1, 1, text::json_parse),
    define("jsonStringify", 1, 1, |v| discover::stringify(&v[0])),
    define("isValidIp", 1, 1, |v| network::is_valid(v, true, true)),
    define("isValidIpV4", 1, 1, |v| network::is_valid(v, true, false)),
    define("isValidIpV6", 1, 1, |v| network::is_valid(v, false, true)),
    define("isIpInSubnet", 2, 2, |v| network::in_subnet(v, true, true)),
    define("isIpv4InSubnet", 2, 2, |v| {
        network::in_subnet(v, true, false)
    }),
    define("isIpv6InSubnet", 2, 2, |v| {
        network::in_subnet(v, false, true)
    }),
    define("fromMillis", 1, 1, numeric::from_millis),
    define("toMillis", 1, 1, numeric::to_millis),
];

/// Functions that the planner builds into the expression: they take a period, a constant, or do
/// not evaluate all of their arguments.
pub(crate) const SPECIAL: [&str; 7] = [
    "bin",
    "datefloor",
    "dateceil",
    "now",
    "coalesce",
    "case",
    "regex_replace",
];

/// A function that `stats` applies to all events of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AggregateKind {
    Count,
    CountDistinct,
    Sum,
    Average,
    Least,
    Greatest,
    Percentile,
    Deviation,
    Earliest,
    Latest,
    SortsFirst,
    SortsLast,
}

const AGGREGATES: [(&str, AggregateKind); 12] = [
    ("count", AggregateKind::Count),
    ("count_distinct", AggregateKind::CountDistinct),
    ("sum", AggregateKind::Sum),
    ("avg", AggregateKind::Average),
    ("min", AggregateKind::Least),
    ("max", AggregateKind::Greatest),
    ("pct", AggregateKind::Percentile),
    ("stddev", AggregateKind::Deviation),
    ("earliest", AggregateKind::Earliest),
    ("latest", AggregateKind::Latest),
    ("sortsFirst", AggregateKind::SortsFirst),
    ("sortsLast", AggregateKind::SortsLast),
];

/// The function of that name.
pub(crate) fn scalar(name: &str) -> Option<&'static Definition> {
    SCALARS
        .iter()
        .find(|definition| definition.name.eq_ignore_ascii_case(name))
}

/// Names of all functions that are no aggregates.
pub(crate) fn scalar_names() -> impl Iterator<Item = &'static str> {
    SCALARS
        .iter()
        .map(|definition| definition.name)
        .chain(SPECIAL)
}

pub(crate) fn aggregate(name: &str) -> Option<AggregateKind> {
    AGGREGATES
        .iter()
        .find(|(known, _)| known.eq_ignore_ascii_case(name))
        .map(|(_, kind)| *kind)
}

impl AggregateKind {
    pub(crate) fn name(self) -> &'static str {
        let found = AGGREGATES.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }
}

pub(crate) fn is_aggregate(name: &str) -> bool {
    aggregate(name).is_some()
}

pub(crate) fn aggregate_names() -> impl Iterator<Item = &'static str> {
    AGGREGATES.iter().map(|(name, _)| *name)
}
