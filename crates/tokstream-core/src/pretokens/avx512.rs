//! Symbols of 64 bytes at a time, for processors with AVX-512 (VBMI2).
//!
//! Each function gives what its plain counterpart in `symbols` gives.

use std::arch::x86_64::{
    __m512i, _mm512_add_epi16, _mm512_and_si512, _mm512_cmpeq_epi8_mask, _mm512_loadu_si512,
    _mm512_mask_blend_epi8, _mm512_mask_permutexvar_epi8, _mm512_maskz_compress_epi8,
    _mm512_maskz_compress_epi16, _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutex2var_epi8,
    _mm512_set1_epi8, _mm512_set1_epi16, _mm512_set4_epi32, _mm512_shuffle_epi8, _mm512_slli_epi16,
    _mm512_srli_epi16, _mm512_storeu_si512, _mm512_test_epi8_mask,
};

use crate::simd::wide::{WIDTH, load_first};

use super::inert::{Inert, Pairs};
use super::symbols::{ByteClasses, LOOK};

#[inline(always)]
fn load<T: bytemuck::Pod>(from: &[T], at: usize) -> __m512i {
    let bytes: &[u8] = bytemuck::cast_slice(&from[at..at + WIDTH / size_of::<T>()]);
    // SAFETY: the slice has 64 bytes, and any address will do.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

#[inline(always)]
fn store<T: bytemuck::Pod>(to: &mut [T], at: usize, value: __m512i) {
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut to[at..at + WIDTH / size_of::<T>()]);
    // SAFETY: the slice has 64 bytes, and any address will do.
    unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), value) }
}

/// 0, 1, 2 …
const INDICES: [u16; WIDTH] = {
    let mut indices = [0; WIDTH];
    let mut k = 0;
    while k < WIDTH {
        indices[k] = k as u16;
        k += 1;
    }
    indices
};

/// Symbols of the characters of `text[begin..end]`, and where they begin in it; returns how many.
/// Where a byte does not tell, `look` does, for the character that begins at that index of `text`.
/// `symbols` and `begins` have room for 64 more than there are bytes.
///
/// # Safety
/// `Path::available` must have it.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(crate) unsafe fn read(
    classes: &ByteClasses,
    look: &dyn Fn(usize) -> u8,
    text: &[u8],
    begin: usize,
    end: usize,
    symbols: &mut [u8],
    begins: &mut [u16],
) -> usize {
    let tables: [__m512i; 4] = std::array::from_fn(|k| load(&classes.of_byte, WIDTH * k));
    let row = load(&classes.row, 0);
    let indices = [load(&INDICES, 0), load(&INDICES, WIDTH / 2)];
    let mut n = 0;
    for at in (begin..end).step_by(WIDTH) {
        let bytes = load_first(&text[at..end.min(at + WIDTH)]);
        let n_bytes = (end - at).min(WIDTH);
        let offset = _mm512_set1_epi16((at - begin) as i16);
        let places = indices.map(|indices| _mm512_add_epi16(indices, offset));
        let mut found = _mm512_permutex2var_epi8(tables[0], bytes, tables[1]);
        let high = _mm512_movepi8_mask(bytes);
        if high == 0 {
            store(symbols, n, found);
            store(begins, n, places[0]);
            store(begins, n + WIDTH / 2, places[1]);
            n += n_bytes;
            continue;
        }
        let of_high = _mm512_permutex2var_epi8(tables[2], bytes, tables[3]);
        found = _mm512_mask_blend_epi8(high, found, of_high);
        let in_row = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(classes.row_lead as i8));
        let second = load_first(&text[at + 1..text.len().min(at + 1 + WIDTH)]);
        found = _mm512_mask_permutexvar_epi8(found, in_row, second, row);
        let mut unknown = _mm512_cmpeq_epi8_mask(found, _mm512_set1_epi8(LOOK as i8));
        if unknown != 0 {
            let mut known = [0_u8; WIDTH];
            store(&mut known, 0, found);
            while unknown != 0 {
                let index = unknown.trailing_zeros() as usize;
                known[index] = look(at + index);
                unknown &= unknown - 1;
            }
            found = load(&known, 0);
        }
        // All but those of the form 10xxxxxx begin a character.
        let sixth = _mm512_test_epi8_mask(bytes, _mm512_set1_epi8(0x40));
        let keep = (!high | sixth) & (u64::MAX >> (WIDTH - n_bytes));
        n = compress(keep, found, places, symbols, begins, n);
    }
    n
}

/// Store the kept symbols and places from `n` on; returns where the next ones go.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
fn compress(
    keep: u64,
    found: __m512i,
    places: [__m512i; 2],
    symbols: &mut [u8],
    begins: &mut [u16],
    mut n: usize,
) -> usize {
    store(symbols, n, _mm512_maskz_compress_epi8(keep, found));
    for (half, places) in [keep as u32, (keep >> 32) as u32].into_iter().zip(places) {
        store(begins, n, _mm512_maskz_compress_epi16(half, places));
        n += half.count_ones() as usize;
    }
    n
}

/// Which of 64 pairs are in the set?
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
fn are_in(pairs: [__m512i; 2], before: __m512i, symbols: __m512i) -> u64 {
    let eighth = _mm512_and_si512(_mm512_srli_epi16::<3>(symbols), _mm512_set1_epi8(3));
    let index = _mm512_or_si512(before, _mm512_slli_epi16::<5>(eighth));
    let byte = _mm512_permutex2var_epi8(pairs[0], index, pairs[1]);
    let bits = _mm512_set4_epi32(0, 0, 0x8040_2010_u32 as i32, 0x0804_0201);
    let bit = _mm512_shuffle_epi8(bits, _mm512_and_si512(symbols, _mm512_set1_epi8(7)));
    _mm512_test_epi8_mask(byte, bit)
}

/// Copy the symbols that matter, and where they begin; returns how many. What comes before the
/// first is not known. The outputs have room for 64 more than there are symbols.
///
/// # Safety
/// `Path::available` must have it.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt")]
pub(crate) unsafe fn drop_inert(
    tables: &Inert,
    symbols: &[u8],
    begins: &[u16],
    kept: &mut [u8],
    kept_begins: &mut [u16],
) -> usize {
    let halves = |pairs: &Pairs| [load(pairs, 0), load(pairs, WIDTH)];
    let (inert, risky) = (halves(&tables.inert), halves(&tables.risky));
    // The first two characters are kept, and so is what is not a multiple of 64 at the end.
    let n_first = symbols.len().min(2);
    kept[..n_first].copy_from_slice(&symbols[..n_first]);
    kept_begins[..n_first].copy_from_slice(&begins[..n_first]);
    let mut n = n_first;
    let mut at = n_first;
    let mut was_risky = u64::MAX;
    while at + WIDTH <= symbols.len() {
        let (now, before) = (load(symbols, at), load(symbols, at - 1));
        if at == n_first {
            let pair = are_in(risky, load_first(symbols), load_first(&symbols[1..]));
            was_risky = pair << 63;
        }
        let is_risky = are_in(risky, before, now);
        let is_inert = are_in(inert, before, now) & !(is_risky << 1 | was_risky >> 63);
        was_risky = is_risky;
        let places = [load(begins, at), load(begins, at + WIDTH / 2)];
        n = compress(!is_inert, now, places, kept, kept_begins, n);
        at += WIDTH;
    }
    let rest = symbols.len() - at;
    kept[n..n + rest].copy_from_slice(&symbols[at..]);
    kept_begins[n..n + rest].copy_from_slice(&begins[at..]);
    n + rest
}
