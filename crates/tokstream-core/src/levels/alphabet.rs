//! GPT-2's alphabet, in which each byte is a printable character. Nothing is held back.

use super::Sink;
use super::held::source_of;

/// Is the byte's character the one with its own number?
const fn is_itself(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7E | 0xA1..=0xAC | 0xAE..=0xFF)
}

/// Characters by byte; those that are not themselves follow U+0100 in order.
const fn characters() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    let mut next = 0x100;
    while byte < 256 {
        table[byte] = byte as u16;
        if !is_itself(byte as u8) {
            table[byte] = next;
            next += 1;
        }
        byte += 1;
    }
    table
}

const CHARACTERS: [u16; 256] = characters();

/// Each byte as its character.
pub(crate) fn from_bytes(text: &[u8], n_source: usize, sink: &mut impl Sink) {
    if text.is_empty() {
        return sink.text(text, n_source);
    }
    let is_identity = text.len() == n_source;
    let mut at = 0;
    while at < text.len() {
        let n = text[at..].iter().take_while(|byte| (0x21..0x7F).contains(*byte)).count();
        if n > 0 && is_identity {
            sink.text(&text[at..at + n], n);
            at += n;
            continue;
        }
        let number = CHARACTERS[text[at] as usize];
        let mut buffer = [0; 4];
        let character = char::from_u32(number.into()).unwrap_or('\0').encode_utf8(&mut buffer);
        sink.text(character.as_bytes(), source_of(at..at + 1, text.len(), n_source));
        at += 1;
    }
}

/// Each character of the alphabet as its byte; no other character comes here.
pub(crate) fn to_bytes(text: &[u8], n_source: usize, sink: &mut impl Sink) {
    if text.is_empty() {
        return sink.text(text, n_source);
    }
    let mut at = 0;
    for character in String::from_utf8_lossy(text).chars() {
        let number = character as u32;
        let is_it = |&other: &u16| u32::from(other) == number;
        let other = || CHARACTERS.iter().position(is_it).unwrap_or(0) as u8;
        let byte = u8::try_from(number).unwrap_or_else(|_| other());
        let end = at + character.len_utf8();
        sink.text(&[byte], source_of(at..end, text.len(), n_source));
        at = end;
    }
}
