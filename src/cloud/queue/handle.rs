//! Receipt handles: text that is opaque to consumers and tells us which receive it belongs to.

/// What every handle of SQS begins with.
const PREFIX: &str = "AQEB";

/// Hexadecimal digits of a 64-bit word.
const WORD: usize = 16;

/// Which receive of which message a handle belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Receipt {
    /// The message's place in the slab.
    pub(super) place: u32,
    /// The message's serial number, by which a message that has since taken the place is told
    /// from it.
    pub(super) serial: u64,
    /// The receive count at that receive.
    pub(super) receive_count: u32,
}

/// Why a text is not a handle of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BadHandle {
    /// It never was one.
    Garbage,
    /// It has the form of a handle, but this queue did not make it.
    Foreign,
}

/// The handle of a receipt, sealed with the secret number of the queue.
pub(super) fn seal(secret: u64, receipt: Receipt) -> String {
    let words = [
        receipt.serial ^ mix(secret),
        ((u64::from(receipt.place) << 32) | u64::from(receipt.receive_count)) ^ mix(!secret),
    ];
    let mut handle = String::with_capacity(PREFIX.len() + 3 * WORD);
    handle.push_str(PREFIX);
    for word in [words[0], words[1], checksum(secret, words)] {
        push_hex(&mut handle, word);
    }
    handle
}

/// The receipt of a handle.
pub(super) fn open(secret: u64, handle: &str) -> Result<Receipt, BadHandle> {
    let digits = handle.strip_prefix(PREFIX).ok_or(BadHandle::Garbage)?;
    let hexadecimal = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if digits.len() != 3 * WORD || !digits.bytes().all(hexadecimal) {
        return Err(BadHandle::Garbage);
    }
    let word = |index: usize| {
        u64::from_str_radix(&digits[index * WORD..(index + 1) * WORD], 16)
            .map_err(|_| BadHandle::Garbage)
    };
    let words = [word(0)?, word(1)?];
    if word(2)? != checksum(secret, words) {
        return Err(BadHandle::Foreign);
    }
    let packed = words[1] ^ mix(!secret);
    Ok(Receipt {
        place: (packed >> 32) as u32,
        serial: words[0] ^ mix(secret),
        receive_count: packed as u32,
    })
}

fn checksum(secret: u64, words: [u64; 2]) -> u64 {
    mix(mix(secret ^ words[0]) ^ words[1])
}

/// Spreads every bit of the input over all bits of the output (the finalizer of SplitMix64).
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn push_hex(text: &mut String, word: u64) {
    for shift in (0..64).step_by(4).rev() {
        let digit = ((word >> shift) & 15) as u32;
        text.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_handle_opens_with_its_own_secret_only(secret: u64, other: u64, place: u32, serial: u64, receive_count: u32) {
            prop_assume!(secret != other);
            let receipt = Receipt { place, serial, receive_count };
            let handle = seal(secret, receipt);
            prop_assert_eq!(open(secret, &handle), Ok(receipt));
            prop_assert_eq!(open(other, &handle), Err(BadHandle::Foreign));
        }

        #[test]
        fn no_text_makes_it_panic(text: String) {
            prop_assert_eq!(open(1, &text), Err(BadHandle::Garbage));
        }
    }

    #[test]
    fn a_digit_that_was_changed_is_noticed() {
        let receipt = Receipt {
            place: 3,
            serial: 9,
            receive_count: 1,
        };
        let handle = seal(7, receipt);
        for position in PREFIX.len()..handle.len() {
            let mut bytes = handle.clone().into_bytes();
            bytes[position] = if bytes[position] == b'0' { b'1' } else { b'0' };
            let forged = String::from_utf8(bytes).unwrap();
            assert_eq!(open(7, &forged), Err(BadHandle::Foreign), "{forged}");
        }
        assert_eq!(open(7, "garbage"), Err(BadHandle::Garbage));
    }
}
