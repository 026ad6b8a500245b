//! Chunks → complete code points.
//!
//! In: bytes cut anywhere, or the UTF-8 form of a Python `str` (surrogates as three bytes each).
//! Out: slices of valid UTF-8, without copying where the input is valid.
//! Held back: at most 3 bytes of an unfinished sequence, or one high surrogate.

mod places;
mod utf8;
#[cfg(target_arch = "x86_64")]
mod utf8_avx2;
#[cfg(target_arch = "x86_64")]
mod utf8_avx512;

use std::ops::Range;

use crate::error::{Error, ErrorKind};

pub use places::Places;
pub use utf8::Characters;

/// What `push` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Raw bytes, expected to be UTF-8; a sequence may be cut by the chunk's end.
    Bytes,
    /// A string whose surrogates, if any, are encoded like other code points (WTF-8).
    Text,
    /// A string without surrogates. The caller vouches for it: it is not looked at again.
    Valid,
}

impl Source {
    /// Whole characters, none of them cut by the end of a chunk?
    #[must_use]
    pub fn is_text(self) -> bool {
        self != Self::Bytes
    }
}

/// What to do with input that is not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnInvalid {
    /// Stop with an error that carries the offset.
    Fail,
    /// Put U+FFFD for each maximal part of a sequence, as Python's `decode(errors="replace")`.
    Replace,
}

const REPLACEMENT: &[u8] = "\u{FFFD}".as_bytes();

/// Incremental UTF-8 decoder.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    /// Start of an unfinished sequence, or a high surrogate in its three-byte form.
    held: Vec<u8>,
    held_is_surrogate: bool,
    n_bytes: u64,
}

impl Decoder {
    /// Source bytes pushed so far.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Source bytes pushed but not yet given out.
    #[must_use]
    pub fn n_held(&self) -> usize {
        self.held.len()
    }

    /// Decode `input`; give every run of complete characters to `sink`, with the source bytes it
    /// was made from.
    ///
    /// Cost: one validation pass; nothing is copied unless a character was cut.
    pub fn push(
        &mut self,
        input: &[u8],
        source: Source,
        on_invalid: OnInvalid,
        sink: &mut dyn FnMut(&[u8], Range<u64>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if input.is_empty() {
            return Ok(());
        }
        let start = self.n_bytes;
        self.n_bytes += input.len() as u64;
        let mut rest = input;
        if !self.held.is_empty() {
            rest = self.complete_held(rest, start, source, on_invalid, sink)?;
        }
        while !rest.is_empty() {
            let at = start + (input.len() - rest.len()) as u64;
            let checked = match source {
                Source::Valid => Ok(()),
                Source::Bytes | Source::Text => simdutf8::compat::from_utf8(rest).map(|_| ()),
            };
            let Err(error) = checked else {
                debug_assert!(std::str::from_utf8(rest).is_ok(), "the caller vouched for it");
                return sink(rest, at..at + rest.len() as u64);
            };
            let (valid, bad) = rest.split_at(error.valid_up_to());
            if !valid.is_empty() {
                sink(valid, at..at + valid.len() as u64)?;
            }
            let at = at + valid.len() as u64;
            rest = match (source, error.error_len()) {
                (Source::Text | Source::Valid, _) => self.surrogate(bad, at, sink)?,
                (Source::Bytes, None) => {
                    self.held.extend_from_slice(bad);
                    self.held_is_surrogate = false;
                    return Ok(());
                }
                (Source::Bytes, Some(length)) => {
                    let source = at..at + length as u64;
                    Self::replace(ErrorKind::InvalidUtf8, source, on_invalid, sink)?;
                    &bad[length..]
                }
            };
        }
        Ok(())
    }

    /// End of input: an unfinished character is an error or U+FFFD, a lone surrogate U+FFFD.
    pub fn finish(
        &mut self,
        on_invalid: OnInvalid,
        sink: &mut dyn FnMut(&[u8], Range<u64>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if self.held.is_empty() {
            return Ok(());
        }
        let source = self.n_bytes - self.held.len() as u64..self.n_bytes;
        self.held.clear();
        if self.held_is_surrogate {
            return sink(REPLACEMENT, source);
        }
        Self::replace(ErrorKind::TruncatedUtf8, source, on_invalid, sink)
    }

    fn replace(
        kind: ErrorKind,
        source: Range<u64>,
        on_invalid: OnInvalid,
        sink: &mut dyn FnMut(&[u8], Range<u64>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        match on_invalid {
            OnInvalid::Fail => Err(Error { kind, offset: source.start }),
            OnInvalid::Replace => sink(REPLACEMENT, source),
        }
    }

    /// Finish the held character with the beginning of `input`; return what is left of it.
    fn complete_held<'a>(
        &mut self,
        input: &'a [u8],
        start: u64,
        source: Source,
        on_invalid: OnInvalid,
        sink: &mut dyn FnMut(&[u8], Range<u64>) -> Result<(), Error>,
    ) -> Result<&'a [u8], Error> {
        let at = start - self.held.len() as u64;
        if self.held_is_surrogate != source.is_text() {
            self.held.clear();
            Self::replace(ErrorKind::UnfinishedCharacter, at..start, on_invalid, sink)?;
            return Ok(input);
        }
        if self.held_is_surrogate {
            let high = std::mem::take(&mut self.held);
            if let Some(pair) = input.get(..3).and_then(|low| join_surrogates(&high, low)) {
                sink(pair.encode_utf8(&mut [0; 4]).as_bytes(), at..at + 6)?;
                return Ok(&input[3..]);
            }
            sink(REPLACEMENT, at..start)?;
            return Ok(input);
        }
        let mut rest = input;
        while let Some((&byte, after)) = rest.split_first() {
            self.held.push(byte);
            match std::str::from_utf8(&self.held) {
                Ok(_) => {
                    let character = std::mem::take(&mut self.held);
                    sink(&character, at..at + character.len() as u64)?;
                    return Ok(after);
                }
                Err(error) if error.error_len().is_none() => rest = after,
                Err(_) => {
                    // The held bytes are the maximal part; this byte begins something new.
                    let source = at..at + self.held.len() as u64 - 1;
                    self.held.clear();
                    Self::replace(ErrorKind::InvalidUtf8, source, on_invalid, sink)?;
                    return Ok(rest);
                }
            }
        }
        Ok(rest)
    }

    /// `bad` begins with a surrogate: join it with its other half, hold it, or replace it.
    fn surrogate<'a>(
        &mut self,
        bad: &'a [u8],
        at: u64,
        sink: &mut dyn FnMut(&[u8], Range<u64>) -> Result<(), Error>,
    ) -> Result<&'a [u8], Error> {
        if bad.len() <= 3 && is_high(bad) {
            self.held.extend_from_slice(bad);
            self.held_is_surrogate = true;
            return Ok(&[]);
        }
        if let Some(pair) = bad.get(3..6).and_then(|low| join_surrogates(&bad[..3], low)) {
            sink(pair.encode_utf8(&mut [0; 4]).as_bytes(), at..at + 6)?;
            return Ok(&bad[6..]);
        }
        let length = bad.len().min(3);
        sink(REPLACEMENT, at..at + length as u64)?;
        Ok(&bad[length..])
    }
}

fn is_high(sequence: &[u8]) -> bool {
    matches!(sequence, [0xED, 0xA0..=0xAF, _, ..])
}

fn join_surrogates(high: &[u8], low: &[u8]) -> Option<char> {
    if !is_high(high) || !matches!(low, [0xED, 0xB0..=0xBF, _, ..]) {
        return None;
    }
    let unit = |s: &[u8]| (u32::from(s[1] & 0x3F) << 6) | u32::from(s[2] & 0x3F);
    char::from_u32(0x1_0000 + ((unit(high) & 0x3FF) << 10) + (unit(low) & 0x3FF))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(parts: &[(&[u8], Source)], on_invalid: OnInvalid) -> Result<String, Error> {
        let mut decoder = Decoder::default();
        let mut text = Vec::new();
        let mut sink = |run: &[u8], _| {
            text.extend_from_slice(run);
            Ok(())
        };
        for (part, source) in parts {
            decoder.push(part, *source, on_invalid, &mut sink)?;
        }
        decoder.finish(on_invalid, &mut sink)?;
        Ok(String::from_utf8(text).expect("the decoder gives UTF-8"))
    }

    #[test]
    fn every_cut_of_valid_and_invalid_bytes_equals_the_lossy_decoding() {
        let samples: [&[u8]; 6] = [
            "aé漢🙂z".as_bytes(),
            b"\xF0\x9F\x99x\xE6\xBCz\xC3",
            b"\xFF\xFE\x80\x80a",
            b"\xED\xA0\x80\xED\xB0\x80",
            b"\xF4\x90\x80\x80\xC0\xAF",
            b"\xE2\x82\xE2\x82\xAC",
        ];
        for sample in samples {
            let whole = String::from_utf8_lossy(sample);
            for cut in 0..=sample.len() {
                let (a, b) = sample.split_at(cut);
                let parts = [(a, Source::Bytes), (b, Source::Bytes)];
                assert_eq!(decode(&parts, OnInvalid::Replace).as_deref(), Ok(&*whole));
                let strict = decode(&parts, OnInvalid::Fail);
                match std::str::from_utf8(sample) {
                    Ok(text) => assert_eq!(strict.as_deref(), Ok(text)),
                    Err(error) => {
                        assert_eq!(strict.map_err(|e| e.offset), Err(error.valid_up_to() as u64));
                    }
                }
            }
        }
    }

    #[test]
    fn surrogates_join_across_chunks_and_lone_ones_are_replaced() {
        let high: (&[u8], Source) = (b"a\xED\xA0\xBD", Source::Text);
        let low: (&[u8], Source) = (b"\xED\xB1\x8Db", Source::Text);
        let joined = decode(&[high, low], OnInvalid::Fail);
        assert_eq!(joined.as_deref(), Ok("a\u{1F44D}b"));
        assert_eq!(decode(&[low, high], OnInvalid::Fail).as_deref(), Ok("\u{FFFD}ba\u{FFFD}"));
        assert_eq!(decode(&[high, high], OnInvalid::Fail).as_deref(), Ok("a\u{FFFD}a\u{FFFD}"));
    }

    #[test]
    fn kinds_do_not_mix_inside_a_character() {
        let cut: (&[u8], Source) = (b"a\xC3", Source::Bytes);
        let text: (&[u8], Source) = (b"b", Source::Valid);
        let error = Error { kind: ErrorKind::UnfinishedCharacter, offset: 1 };
        assert_eq!(decode(&[cut, text], OnInvalid::Fail), Err(error));
        assert_eq!(decode(&[cut, text], OnInvalid::Replace).as_deref(), Ok("a\u{FFFD}b"));
    }
}
