//! Texts. A number is the text that results show; an absent value has no result.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::insights::discover;
use crate::insights::value::Value;

/// Applies a function to the text of a value, without a copy where neither needs one.
pub(super) fn map<'r>(
    value: &mut Value<'r>,
    compute: impl for<'t> Fn(&'t str) -> Cow<'t, str>,
) -> Value<'r> {
    match std::mem::replace(value, Value::Absent) {
        Value::Text(Cow::Borrowed(text)) => Value::Text(compute(text)),
        other => match other.show() {
            Some(text) => Value::text(compute(&text).into_owned()),
            None => Value::Absent,
        },
    }
}

pub(super) fn test(values: &[Value<'_>], test: fn(&str, &str) -> bool) -> Value<'static> {
    match (values[0].show(), values[1].show()) {
        (Some(text), Some(part)) => Value::Truth(test(&text, &part)),
        _ => Value::Truth(false),
    }
}

/// True for an absent value too.
pub(super) fn is_empty<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    Value::Truth(values[0].show().is_none_or(|text| text.is_empty()))
}

/// True for an absent value too.
pub(super) fn is_blank<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    Value::Truth(values[0].show().is_none_or(|text| text.trim().is_empty()))
}

/// Absent values are left out.
pub(super) fn concat<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    let mut text = String::new();
    for part in values.iter().filter_map(Value::show) {
        text.push_str(&part);
    }
    Value::text(text)
}

/// Strips white space, or any of the characters of the second argument.
pub(super) fn trim<'r>(values: &mut [Value<'r>], start: bool, end: bool) -> Value<'r> {
    let set = values
        .get(1)
        .map(|set| set.show().unwrap_or_default().into_owned());
    let strips = |character: char| match &set {
        Some(set) => set.contains(character),
        None => character.is_whitespace(),
    };
    map(&mut values[0], |text| {
        let text = if start {
            text.trim_start_matches(strips)
        } else {
            text
        };
        Cow::Borrowed(if end {
            text.trim_end_matches(strips)
        } else {
            text
        })
    })
}

/// Characters (code points).
pub(super) fn length<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    match values[0].show() {
        Some(text) => Value::Number(text.chars().count() as f64),
        None => Value::Absent,
    }
}

/// `substr(text, start[, length])` in characters, from 0.
pub(super) fn substring<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    let count = |value: &Value<'_>| value.as_f64().map(|number| number.max(0.0) as usize);
    let Some(start) = count(&values[1]) else {
        return Value::Absent;
    };
    let length = match values.get(2) {
        None => usize::MAX,
        Some(given) => match count(given) {
            Some(length) => length,
            None => return Value::Absent,
        },
    };
    map(&mut values[0], |text| {
        let offset = |text: &str, characters: usize| {
            text.char_indices()
                .nth(characters)
                .map_or(text.len(), |(at, _)| at)
        };
        let rest = &text[offset(text, start)..];
        Cow::Borrowed(&rest[..offset(rest, length)])
    })
}

/// Every occurrence; nothing is replaced if the searched text is empty.
pub(super) fn replace<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    let (Some(search), Some(by)) = (values[1].show(), values[2].show()) else {
        return Value::Absent;
    };
    let (search, by) = (search.into_owned(), by.into_owned());
    map(&mut values[0], |text| {
        match !search.is_empty() && text.contains(&search) {
            true => Cow::Owned(text.replace(&search, &by)),
            false => Cow::Borrowed(text),
        }
    })
}

pub(super) fn json_parse<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    match std::mem::replace(&mut values[0], Value::Absent) {
        Value::Text(Cow::Borrowed(text)) => discover::parse(text),
        Value::Text(Cow::Owned(text)) => discover::parse(&text).into_owned(),
        other => other,
    }
}

/// Everything but the unreserved characters of RFC 3986.
pub(super) fn url_encode(text: &str) -> Cow<'_, str> {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a `String` cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    Cow::Owned(encoded)
}

/// `+` is a space; what is no escape stays.
pub(super) fn url_decode(text: &str) -> Cow<'_, str> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        let escaped = others
            .get(..2)
            .filter(|_| *first == b'%')
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &others[2..];
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = others;
            }
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

pub(super) fn base64_encode(text: &str) -> Cow<'_, str> {
    let mut encoded = String::with_capacity(text.len().div_ceil(3) * 4);
    for chunk in text.as_bytes().chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..4 {
            let digit = (bits >> (18 - 6 * index)) & 63;
            let padding = index > chunk.len();
            encoded.push(if padding {
                '='
            } else {
                char::from(BASE64[digit as usize])
            });
        }
    }
    Cow::Owned(encoded)
}

/// Absent if the text is not base64.
pub(super) fn base64_decode<'r>(values: &mut [Value<'r>]) -> Value<'r> {
    let Some(text) = values[0].show() else {
        return Value::Absent;
    };
    let digits = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for digit in digits {
        let digit = match digit {
            b'-' => b'+',
            b'_' => b'/',
            other => *other,
        };
        let Some(value) = BASE64.iter().position(|known| *known == digit) else {
            return Value::Absent;
        };
        bits = (bits << 6 | value as u32) & 0x00ff_ffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    if digits.len() % 4 == 1 {
        return Value::Absent;
    }
    Value::text(String::from_utf8_lossy(&bytes).into_owned())
}
