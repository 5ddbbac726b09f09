//! The MD5 digests by which an SDK checks that a message arrived as it was sent.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use md5::{Digest, Md5};

use crate::ports::MessageAttribute;

/// Values whose digest is remembered.
const REMEMBERED_VALUES: usize = 16;

/// `MD5OfMessageBody` and `MD5OfBody`: 32 lower-case hexadecimal digits.
pub fn md5_of_body(body: &str) -> String {
    hex(&Md5::digest(body.as_bytes()))
}

/// `MD5OfMessageAttributes` over the given attributes; `None` if there are none.
///
/// SQS developer guide, message metadata: by name; of each attribute the length and bytes of its
/// name, the length and bytes of its data type, one byte for the kind of value, the length and
/// bytes of the value; lengths are four bytes, big-endian.
pub fn md5_of_attributes<'a>(
    attributes: impl IntoIterator<Item = (&'a str, &'a MessageAttribute)>,
) -> Option<String> {
    let sorted: BTreeMap<&str, &MessageAttribute> = attributes.into_iter().collect();
    if sorted.is_empty() {
        return None;
    }
    let mut digest = Md5::new();
    for (name, attribute) in sorted {
        let (data_type, kind, value) = match attribute {
            MessageAttribute::Text { data_type, value } => (data_type, 1, value.as_bytes()),
            MessageAttribute::Binary { data_type, value } => (data_type, 2, value.as_slice()),
        };
        add(&mut digest, name.as_bytes());
        add(&mut digest, data_type.as_bytes());
        digest.update([kind]);
        add(&mut digest, value);
    }
    Some(hex(&digest.finalize()))
}

/// `MD5OfMessageSystemAttributes` of a message sent with an `AWSTraceHeader`.
pub fn md5_of_trace_header(header: &str) -> String {
    let attribute = MessageAttribute::string(header);
    md5_of_attributes([("AWSTraceHeader", &attribute)]).unwrap_or_default()
}

fn add(digest: &mut Md5, bytes: &[u8]) {
    // No message is longer than 1 MiB, so its parts have lengths of 32 bits.
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    digest.update(length.to_be_bytes());
    digest.update(bytes);
}

/// Bytes as lower-case hexadecimal digits.
pub(super) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|digit| char::from(DIGITS[usize::from(digit)]))
        .collect()
}

/// Digests of bodies and attributes that many messages share, so that a million copies of one
/// order cost one computation each.
#[derive(Debug, Default)]
pub(super) struct Digests {
    bodies: Recent<str>,
    attributes: Recent<BTreeMap<String, MessageAttribute>>,
}

impl Digests {
    /// [`md5_of_body`].
    pub(super) fn of_body(&mut self, body: &Arc<str>) -> Arc<str> {
        self.bodies.get(body, || md5_of_body(body))
    }

    /// [`md5_of_attributes`] over all attributes.
    pub(super) fn of_attributes(
        &mut self,
        attributes: &Arc<BTreeMap<String, MessageAttribute>>,
    ) -> Option<Arc<str>> {
        if attributes.is_empty() {
            return None;
        }
        let all = || {
            attributes
                .iter()
                .map(|(name, value)| (name.as_str(), value))
        };
        let digest = || md5_of_attributes(all()).unwrap_or_default();
        Some(self.attributes.get(attributes, digest))
    }
}

/// What was computed lately of shared values, by their address.
#[derive(Debug)]
struct Recent<T: ?Sized> {
    /// A weak reference keeps the address from being used again, so an equal address means the
    /// same value.
    known: VecDeque<(Weak<T>, Arc<str>)>,
}

impl<T: ?Sized> Default for Recent<T> {
    fn default() -> Self {
        Self {
            known: VecDeque::new(),
        }
    }
}

impl<T: ?Sized> Recent<T> {
    fn get(&mut self, value: &Arc<T>, compute: impl FnOnce() -> String) -> Arc<str> {
        let address = Arc::as_ptr(value);
        let known = self
            .known
            .iter()
            .find(|(seen, _)| std::ptr::addr_eq(seen.as_ptr(), address));
        if let Some((_, digest)) = known {
            return Arc::clone(digest);
        }
        let digest: Arc<str> = compute().into();
        if self.known.len() == REMEMBERED_VALUES {
            self.known.pop_front();
        }
        self.known
            .push_back((Arc::downgrade(value), Arc::clone(&digest)));
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remembered_digest_belongs_to_its_body_also_when_others_come_and_go() {
        let mut digests = Digests::default();
        let shared: Arc<str> = Arc::from("msg");
        for round in 0..100 {
            assert_eq!(
                &*digests.of_body(&shared),
                "6e2baaf3b97dbeef01c0043275f9a0e7"
            );
            let other: Arc<str> = Arc::from(format!("body {round}"));
            assert_eq!(*digests.of_body(&other), *md5_of_body(&other));
        }
    }
}
