//! Characters → UTF-8, sixteen at a time, for processors with AVX-512 (VBMI2).

use std::arch::x86_64::{
    __m512i, _mm_storeu_si128, _mm512_and_si512, _mm512_castsi512_si128, _mm512_castsi512_si256,
    _mm512_cmpge_epu32_mask, _mm512_cmplt_epu32_mask, _mm512_cvtepi32_epi8, _mm512_cvtepu8_epi32,
    _mm512_cvtepu16_epi32, _mm512_mask_mov_epi32, _mm512_mask_slli_epi32,
    _mm512_maskz_compress_epi8, _mm512_maskz_loadu_epi8, _mm512_maskz_loadu_epi16,
    _mm512_maskz_loadu_epi32, _mm512_movepi8_mask, _mm512_multishift_epi64_epi8, _mm512_or_si512,
    _mm512_set1_epi32, _mm512_set1_epi64, _mm512_storeu_si512, _mm512_sub_epi32,
};

use super::utf8::Unit;
use crate::prefetch::prefetch_at;

/// Bytes that may be written behind the last one that counts.
pub(super) const SPARE: usize = 64;
/// Characters that are encoded together.
const LANES: usize = 16;
/// Bytes of characters that are brought near while others are encoded: memory is the limit.
const AHEAD: usize = 8192;
/// Where the bits of a character's up to four bytes begin, for two characters side by side.
const SHIFTS: u64 = u64::from_le_bytes([18, 12, 6, 0, 50, 44, 38, 32]);

/// Write the UTF-8 of `units`; returns how many bytes it has, and whether any is a surrogate.
///
/// # Safety
/// `Path::available` must have AVX-512; `to` must have room for `MAX_BYTES` a character, and for
/// `SPARE` bytes more.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(super) unsafe fn encode<T: Unit>(units: &[T], to: *mut u8) -> (usize, bool) {
    let mut n = 0;
    let mut surrogates = 0;
    for group in units.chunks(LANES) {
        prefetch_at(group.as_ptr().wrapping_byte_add(AHEAD));
        let characters = load(group);
        let from_two = _mm512_cmpge_epu32_mask(characters, constant(0x80));
        if from_two == 0 {
            // SAFETY: sixteen bytes are less than what is to spare.
            unsafe {
                let to = to.add(n).cast();
                _mm_storeu_si128(to, _mm512_cvtepi32_epi8(characters));
            }
            n += group.len();
            continue;
        }
        let from_three = _mm512_cmpge_epu32_mask(characters, constant(0x800));
        let from_four = _mm512_cmpge_epu32_mask(characters, constant(0x1_0000));
        // The bytes of four, the first in the lowest place; those of shorter forms come last.
        let parts =
            _mm512_multishift_epi64_epi8(_mm512_set1_epi64(SHIFTS.cast_signed()), characters);
        let parts = _mm512_and_si512(parts, constant(0x3F3F_3F3F));
        let mut marks = constant(0x8000_0000);
        marks = _mm512_mask_mov_epi32(marks, from_two, constant(0x80C0_0000));
        marks = _mm512_mask_mov_epi32(marks, from_three, constant(0x8080_E000));
        marks = _mm512_mask_mov_epi32(marks, from_four, constant(0x8080_80F0));
        let bytes = _mm512_or_si512(parts, marks);
        let bytes = _mm512_mask_slli_epi32::<24>(bytes, !from_two, characters);
        // Every byte that counts has its highest bit in the marks.
        let mut mask = _mm512_movepi8_mask(marks);
        if group.len() < LANES {
            mask &= (1 << (4 * group.len())) - 1;
        }
        // SAFETY: 64 bytes are what is to spare.
        unsafe {
            let to = to.add(n).cast();
            _mm512_storeu_si512(to, _mm512_maskz_compress_epi8(mask, bytes));
        }
        n += mask.count_ones() as usize;
        let above = _mm512_sub_epi32(characters, constant(0xD800));
        surrogates |= _mm512_cmplt_epu32_mask(above, constant(0x800));
    }
    (n, surrogates != 0)
}

/// The same number in every lane.
#[target_feature(enable = "avx512f")]
fn constant(number: u32) -> __m512i {
    _mm512_set1_epi32(number.cast_signed())
}

/// Up to sixteen characters, then zeros.
#[target_feature(enable = "avx512f,avx512bw")]
fn load<T: Unit>(units: &[T]) -> __m512i {
    let n = units.len().min(LANES);
    let mask = u16::MAX >> (LANES - n);
    let from = units.as_ptr();
    // SAFETY: only the characters of the slice are read.
    unsafe {
        match size_of::<T>() {
            1 => _mm512_cvtepu8_epi32(_mm512_castsi512_si128(_mm512_maskz_loadu_epi8(
                mask.into(),
                from.cast(),
            ))),
            2 => _mm512_cvtepu16_epi32(_mm512_castsi512_si256(_mm512_maskz_loadu_epi16(
                mask.into(),
                from.cast(),
            ))),
            _ => _mm512_maskz_loadu_epi32(mask, from.cast()),
        }
    }
}
