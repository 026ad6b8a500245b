//! Characters → UTF-8, eight at a time, for processors with AVX2.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_loadl_epi64, _mm_loadu_si128, _mm_packus_epi16, _mm_packus_epi32,
    _mm_shuffle_epi8, _mm_storel_epi64, _mm_storeu_si128, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_castsi256_ps, _mm256_castsi256_si128, _mm256_cmpeq_epi32, _mm256_cmpgt_epi32,
    _mm256_cvtepu8_epi32, _mm256_cvtepu16_epi32, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_movemask_ps, _mm256_or_si256, _mm256_set1_epi32, _mm256_setzero_si256,
    _mm256_slli_epi32, _mm256_srli_epi32, _mm256_testz_si256,
};

use super::utf8::{self, Unit, encode_each};
use crate::prefetch::prefetch_at;

/// Bytes that may be written behind the last one that counts.
pub(super) const SPARE: usize = 16;
/// Characters that are encoded together, and half of them.
const LANES: usize = 8;
const HALF: usize = 4;
/// Bytes of characters that are brought near while others are encoded: memory is the limit.
const AHEAD: usize = 8192;

/// By bits of four characters, which of them have two bytes or more, and which three: the places of
/// all bytes, of four for each character, the last of which count.
static PLACES: [[u8; 16]; 256] = {
    let mut places = [[0; 16]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut n, mut lane) = (0, 0);
        while lane < HALF {
            let n_bytes = 1 + (bits >> lane & 1) + (bits >> (HALF + lane) & 1);
            let mut k = 4 - n_bytes;
            while k < 4 {
                places[bits][n] = (4 * lane + k) as u8;
                (n, k) = (n + 1, k + 1);
            }
            lane += 1;
        }
        bits += 1;
    }
    places
};

/// Write the UTF-8 of `units`; returns how many bytes it has, and whether any is a surrogate.
///
/// # Safety
/// `Path::available` must have AVX2; `to` must have room for `MAX_BYTES` a character, and for
/// `SPARE` bytes more.
#[target_feature(enable = "avx2,popcnt")]
pub(super) unsafe fn encode<T: Unit>(units: &[T], to: *mut u8) -> (usize, bool) {
    let mut n = 0;
    let mut surrogates = _mm256_setzero_si256();
    let mut has_surrogates = false;
    let mut groups = units.chunks_exact(LANES);
    for group in &mut groups {
        prefetch_at(group.as_ptr().wrapping_byte_add(AHEAD));
        let characters = load(group);
        // SAFETY: eight characters have 32 bytes at most, and what is written beyond the bytes
        // that count are fewer than what is to spare.
        unsafe {
            let to = to.add(n);
            if _mm256_testz_si256(characters, constant(!0x7F)) != 0 {
                store_ascii(characters, to);
                n += LANES;
                continue;
            }
            if T::MAX_BYTES < 4 || _mm256_testz_si256(characters, constant(!0xFFFF)) != 0 {
                n += store(characters, to);
                let upper = _mm256_and_si256(characters, constant(0xF800));
                let are_surrogates = _mm256_cmpeq_epi32(upper, constant(0xD800));
                surrogates = _mm256_or_si256(surrogates, are_surrogates);
                continue;
            }
        }
        has_surrogates |= utf8::has_surrogates(group);
        // SAFETY: the caller vouches for the room.
        n += unsafe { copy_each(group, to.add(n)) };
    }
    let rest = groups.remainder();
    has_surrogates |= utf8::has_surrogates(rest);
    // SAFETY: as above.
    n += unsafe { copy_each(rest, to.add(n)) };
    (n, has_surrogates || _mm256_testz_si256(surrogates, surrogates) == 0)
}

/// Write the UTF-8 of up to eight characters; returns how many bytes it has.
///
/// # Safety
/// `to` must have room for them.
unsafe fn copy_each<T: Unit>(units: &[T], to: *mut u8) -> usize {
    let mut bytes = [0; 4 * LANES + utf8::SPARE];
    let n = encode_each(units, &mut bytes);
    // SAFETY: these bytes were just written, and the caller vouches for the room.
    unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), n) };
    n
}

/// The same number in every lane.
#[target_feature(enable = "avx2")]
#[inline]
fn constant(number: u32) -> __m256i {
    _mm256_set1_epi32(number.cast_signed())
}

/// Eight characters.
#[target_feature(enable = "avx2")]
#[inline]
fn load<T: Unit>(units: &[T]) -> __m256i {
    let from = units[..LANES].as_ptr();
    // SAFETY: only the characters of the slice are read, and any address will do.
    unsafe {
        match size_of::<T>() {
            1 => _mm256_cvtepu8_epi32(_mm_loadl_epi64(from.cast())),
            2 => _mm256_cvtepu16_epi32(_mm_loadu_si128(from.cast())),
            _ => _mm256_loadu_si256(from.cast()),
        }
    }
}

#[target_feature(enable = "avx2")]
#[inline]
fn halves(lanes: __m256i) -> [__m128i; 2] {
    [_mm256_castsi256_si128(lanes), _mm256_extracti128_si256::<1>(lanes)]
}

/// Write eight characters of one byte each.
///
/// # Safety
/// `to` must have room for eight bytes.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn store_ascii(characters: __m256i, to: *mut u8) {
    let [low, high] = halves(characters);
    let both = _mm_packus_epi32(low, high);
    // SAFETY: the caller vouches for the room.
    unsafe { _mm_storel_epi64(to.cast(), _mm_packus_epi16(both, both)) };
}

/// Write the UTF-8 of eight characters below U+10000; returns how many bytes it has.
///
/// # Safety
/// `to` must have room for these bytes and 16 more.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
unsafe fn store(characters: __m256i, to: *mut u8) -> usize {
    let from_two = _mm256_cmpgt_epi32(characters, constant(0x7F));
    let from_three = _mm256_cmpgt_epi32(characters, constant(0x7FF));
    // The bytes of four, the first in the lowest place; those of shorter forms come last.
    let last = _mm256_slli_epi32::<24>(_mm256_and_si256(characters, constant(0x3F)));
    let middle = _mm256_slli_epi32::<10>(_mm256_and_si256(characters, constant(0xFC0)));
    let first = _mm256_slli_epi32::<8>(_mm256_srli_epi32::<12>(characters));
    let parts = _mm256_or_si256(_mm256_or_si256(last, middle), first);
    let marks = _mm256_blendv_epi8(constant(0x80C0_0000), constant(0x8080_E000), from_three);
    let bytes = _mm256_or_si256(parts, marks);
    let bytes = _mm256_blendv_epi8(_mm256_slli_epi32::<24>(characters), bytes, from_two);
    let bits = |lanes: __m256i| _mm256_movemask_ps(_mm256_castsi256_ps(lanes)) as usize;
    let (two, three) = (bits(from_two), bits(from_three));
    let mut n = 0;
    for (k, bytes) in halves(bytes).into_iter().enumerate() {
        let bits = two >> (HALF * k) & 0xF | (three >> (HALF * k) & 0xF) << HALF;
        // SAFETY: there are 16 bytes, and the caller vouches for the room.
        unsafe {
            let places = _mm_loadu_si128(PLACES[bits].as_ptr().cast());
            _mm_storeu_si128(to.add(n).cast(), _mm_shuffle_epi8(bytes, places));
        }
        n += HALF + bits.count_ones() as usize;
    }
    n
}
