//! The characters of a Python `str` → UTF-8.
//!
//! In: characters of one, two or four bytes each. Out: their UTF-8, surrogates as three bytes like
//! any other character of that size. Held back: nothing.

use crate::prefetch::bring_near;
use crate::simd::Path;

use super::Source;
#[cfg(target_arch = "x86_64")]
use super::{utf8_avx2, utf8_avx512};

/// Characters whose ASCII is looked for together.
const STRETCH: usize = 32;

/// Bytes that may be written behind the last one that counts.
pub(super) const SPARE: usize = 3;

/// Characters in memory; none is above U+10FFFF.
#[derive(Clone, Copy, Debug)]
pub enum Characters<'a> {
    /// All below U+0080.
    Ascii(&'a [u8]),
    /// All below U+0100.
    One(&'a [u8]),
    /// All below U+10000.
    Two(&'a [u16]),
    /// Any.
    Four(&'a [u32]),
}

impl Characters<'_> {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Ascii(units) | Self::One(units) => units.len(),
            Self::Two(units) => units.len(),
            Self::Four(units) => units.len(),
        }
    }

    /// Are there none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// While this thread reads the next `n_text` bytes of text, bring the characters from `begin` to
    /// `end` near, of those there are.
    pub fn bring_near(&self, begin: usize, end: usize, n_text: usize) {
        let (begin, end) = (begin.min(self.len()), end.min(self.len()));
        match self {
            Self::Ascii(units) | Self::One(units) => bring_near(&units[begin..end], n_text),
            Self::Two(units) => bring_near(&units[begin..end], n_text),
            Self::Four(units) => bring_near(&units[begin..end], n_text),
        }
    }

    /// Append the UTF-8 of the characters from `begin` to `end`; returns what it is.
    ///
    /// Cost: one pass; room for the most that so many characters can take.
    ///
    /// # Panics
    /// If `begin` is behind `end`, or `end` behind the last character.
    pub fn encode(&self, begin: usize, end: usize, path: Path, out: &mut Vec<u8>) -> Source {
        match self {
            Self::Ascii(units) => {
                out.extend_from_slice(&units[begin..end]);
                Source::Valid
            }
            Self::One(units) => encode(&units[begin..end], path, out),
            Self::Two(units) => encode(&units[begin..end], path, out),
            Self::Four(units) => encode(&units[begin..end], path, out),
        }
    }
}

/// One character of a fixed size.
pub(super) trait Unit: Copy + Into<u32> {
    /// Bytes of UTF-8 at most.
    const MAX_BYTES: usize;
}

impl Unit for u8 {
    const MAX_BYTES: usize = 2;
}

impl Unit for u16 {
    const MAX_BYTES: usize = 3;
}

impl Unit for u32 {
    const MAX_BYTES: usize = 4;
}

fn encode<T: Unit>(units: &[T], path: Path, out: &mut Vec<u8>) -> Source {
    let begin = out.len();
    let most = T::MAX_BYTES * units.len();
    #[cfg(target_arch = "x86_64")]
    if path == Path::Avx512 {
        out.reserve(most + utf8_avx512::SPARE);
        // SAFETY: this path is taken only if the processor has it; there is room.
        unsafe {
            let (n, has_surrogates) = utf8_avx512::encode(units, out.as_mut_ptr().add(begin));
            out.set_len(begin + n);
            return source(has_surrogates);
        }
    }
    #[cfg(target_arch = "x86_64")]
    if path == Path::Avx2 {
        out.reserve(most + utf8_avx2::SPARE);
        // SAFETY: as above.
        unsafe {
            let (n, has_surrogates) = utf8_avx2::encode(units, out.as_mut_ptr().add(begin));
            out.set_len(begin + n);
            return source(has_surrogates);
        }
    }
    let _ = path;
    out.resize(begin + most + SPARE, 0);
    let mut room = &mut out[begin..];
    let mut any_surrogates = false;
    for stretch in units.chunks(STRETCH) {
        let all = stretch.iter().fold(0, |all, &unit| all | unit.into());
        let n = if all < 0x80 {
            for (&unit, byte) in stretch.iter().zip(&mut *room) {
                *byte = unit.into() as u8;
            }
            stretch.len()
        } else {
            any_surrogates |= has_surrogates(stretch);
            encode_each(stretch, room)
        };
        room = &mut room[n..];
    }
    let n = most + SPARE - room.len();
    out.truncate(begin + n);
    source(any_surrogates)
}

/// Is any of them a surrogate?
pub(super) fn has_surrogates<T: Unit>(units: &[T]) -> bool {
    units.iter().any(|&unit| (0xD800..0xE000).contains(&unit.into()))
}

fn source(has_surrogates: bool) -> Source {
    if has_surrogates { Source::Text } else { Source::Valid }
}

/// Put each character's bytes into `room`, which has `SPARE` more than they need; returns how many
/// there are.
pub(super) fn encode_each<T: Unit>(units: &[T], room: &mut [u8]) -> usize {
    let mut n = 0;
    for &unit in units {
        let unit = unit.into();
        let tail = |shift: u32| (unit >> shift & 0x3F) as u8 | 0x80;
        // Four bytes are written, whatever counts of them: one store of a fixed size.
        let (bytes, length) = match unit {
            0..0x80 => ([unit as u8, 0, 0, 0], 1),
            0x80..0x800 => ([(unit >> 6) as u8 | 0xC0, tail(0), 0, 0], 2),
            0x800..0x1_0000 => ([(unit >> 12) as u8 | 0xE0, tail(6), tail(0), 0], 3),
            _ => ([(unit >> 18) as u8 | 0xF0, tail(12), tail(6), tail(0)], 4),
        };
        room[n..n + 4].copy_from_slice(&bytes);
        n += length;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state >> 20
    }

    /// As the standard library encodes them, surrogates by hand.
    fn expected(units: &[u32]) -> Vec<u8> {
        let mut bytes = Vec::new();
        for &unit in units {
            match char::from_u32(unit) {
                Some(character) => {
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                None => bytes.extend([
                    0xED,
                    (unit >> 6 & 0x3F | 0x80) as u8,
                    (unit & 0x3F | 0x80) as u8,
                ]),
            }
        }
        bytes
    }

    #[test]
    fn every_code_point_on_every_path() {
        let four: Vec<u32> = (0..0x11_0000).collect();
        let two: Vec<u16> = (0..=u16::MAX).collect();
        let one: Vec<u8> = (0..=u8::MAX).collect();
        for &path in Path::available() {
            for (characters, n) in [
                (Characters::Ascii(&one[..0x80]), 0x80),
                (Characters::One(&one), 0x100),
                (Characters::Two(&two), 0x1_0000),
                (Characters::Four(&four), 0x11_0000),
            ] {
                let mut out = b"before".to_vec();
                let source = characters.encode(0, characters.len(), path, &mut out);
                assert_eq!(source == Source::Valid, n < 0xD800);
                assert_eq!(characters.len(), n);
                assert!(out.strip_prefix(b"before").unwrap() == expected(&four[..n]), "{path:?}");
            }
        }
    }

    #[test]
    fn all_lengths_and_mixtures() {
        let limits = [0x80, 0x100, 0x800, 0x1_0000, 0x11_0000];
        let mut state = 1;
        for n in 0..300 {
            for round in 0..20 {
                // Mostly characters of one size, among others now and then.
                let (usual, rare) = (limits[round % 5], limits[next(&mut state) as usize % 5]);
                let draw = |state: &mut u64| {
                    let limit = if next(state).is_multiple_of(9) { rare } else { usual };
                    (next(state) % limit) as u32
                };
                let units: Vec<u32> = (0..n).map(|_| draw(&mut state)).collect();
                let begin = next(&mut state) as usize % (n + 1);
                let end = begin + next(&mut state) as usize % (n - begin + 1);
                let expected = expected(&units[begin..end]);
                for &path in Path::available() {
                    let mut out = Vec::new();
                    let source = Characters::Four(&units).encode(begin, end, path, &mut out);
                    assert_eq!(out, expected);
                    let is_valid = std::str::from_utf8(&out).is_ok();
                    assert_eq!(source == Source::Valid, is_valid);
                    if let Ok(units) =
                        units.iter().map(|&u| u16::try_from(u)).collect::<Result<Vec<_>, _>>()
                    {
                        out.clear();
                        Characters::Two(&units).encode(begin, end, path, &mut out);
                        assert_eq!(out, expected);
                    }
                    if let Ok(units) =
                        units.iter().map(|&u| u8::try_from(u)).collect::<Result<Vec<_>, _>>()
                    {
                        out.clear();
                        Characters::One(&units).encode(begin, end, path, &mut out);
                        assert_eq!(out, expected);
                    }
                }
            }
        }
    }
}
