//! Boundaries that no token spans, fifteen at a time, for processors with AVX-512 (VBMI2).

use std::arch::x86_64::{
    __m512i, _mm_loadl_epi64, _mm512_add_epi64, _mm512_alignr_epi32, _mm512_and_si512,
    _mm512_cmpeq_epi8_mask, _mm512_cvtepu8_epi64, _mm512_i32gather_epi32, _mm512_loadu_si512,
    _mm512_maskz_compress_epi8, _mm512_mullo_epi32, _mm512_or_si512, _mm512_permutexvar_epi8,
    _mm512_set1_epi8, _mm512_set1_epi32, _mm512_set1_epi64, _mm512_slli_epi32, _mm512_srli_epi32,
    _mm512_srlv_epi32, _mm512_storeu_si512, _mm512_testn_epi32_mask, _pdep_u64, _pext_u64,
};

use crate::simd::wide::{WIDTH, load_first};

use super::seams::{HASH_BITS, HASH_FACTOR, LEFT, RIGHT, Seams};

const LANES: usize = 16;
/// Every third byte of 48: where characters of three bytes begin.
const EVERY_THIRD: u64 = 0x2492_4924_9249;

/// For each lane the bytes of one character, the last first, so that it is one number.
const SPREAD: [u8; WIDTH] = {
    let mut spread = [0; WIDTH];
    let mut lane = 0;
    while lane < LANES {
        let mut k = 0;
        while k < 3 {
            spread[4 * lane + k] = (3 * lane + 2 - k) as u8;
            k += 1;
        }
        lane += 1;
    }
    spread
};

/// 0, 1, 2 …
const INDICES: [u8; WIDTH] = {
    let mut indices = [0; WIDTH];
    let mut k = 0;
    while k < WIDTH {
        indices[k] = k as u8;
        k += 1;
    }
    indices
};

/// Bits of the bytes that begin a character of three.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
fn leads(bytes: __m512i) -> u64 {
    let upper = _mm512_and_si512(bytes, _mm512_set1_epi8(0xF0_u8.cast_signed()));
    _mm512_cmpeq_epi8_mask(upper, _mm512_set1_epi8(0xE0_u8.cast_signed()))
}

/// Each lane's value from the lane before.
#[target_feature(enable = "avx512f")]
fn before(values: __m512i) -> __m512i {
    _mm512_alignr_epi32::<15>(values, values)
}

/// Set the bits of the seams of `text`, which begins and ends with whole characters; returns
/// whether there are any. `bits` has one for each byte, and 64 more.
///
/// # Safety
/// `Path::available` must have AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) unsafe fn find(tables: &Seams, text: &[u8], bits: &mut [u64]) -> bool {
    // SAFETY: it has 64 bytes.
    let spread = unsafe { _mm512_loadu_si512(SPREAD.as_ptr().cast()) };
    let mut any = 0;
    let mut at = 0;
    while at + 3 < text.len() {
        let starts = leads(load_first(&text[at..]));
        let second = starts & starts << 3;
        if second == 0 {
            // The last three bytes may begin a character that another one follows.
            at += WIDTH - 3;
            continue;
        }
        at += second.trailing_zeros() as usize - 3;
        let bytes = load_first(&text[at..]);
        let n_chained = (!_pext_u64(leads(bytes), EVERY_THIRD)).trailing_zeros() as usize;
        let n_chained = n_chained.min(LANES);
        let right = code_points(_mm512_permutexvar_epi8(spread, bytes));
        let is_joined = are_joined(tables, right);
        // The first has none before it here, and behind the chain is something else.
        let free =
            _mm512_testn_epi32_mask(is_joined, is_joined) & ((1 << n_chained) - 1) as u16 & !1;
        let found = u128::from(_pdep_u64(free.into(), EVERY_THIRD)) << (at % 64);
        bits[at / 64] |= found as u64;
        bits[at / 64 + 1] |= (found >> 64) as u64;
        any |= free;
        // A chain that may go on is taken up at its last character.
        at += 3 * if n_chained == LANES { LANES - 1 } else { n_chained };
    }
    any != 0
}

/// Put the positions of set bits, the first bit having position `begin`, into `list`; returns how
/// many. `list` has room for all of them and 8 more.
///
/// # Safety
/// `Path::available` must have AVX-512.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi2,popcnt")]
pub(super) unsafe fn positions(bits: &[u64], begin: usize, list: &mut [usize]) -> usize {
    // SAFETY: it has 64 bytes.
    let indices = unsafe { _mm512_loadu_si512(INDICES.as_ptr().cast()) };
    let mut n = 0;
    for (word, &bits) in bits.iter().enumerate() {
        let mut places = [0_u8; WIDTH];
        // SAFETY: there are 64 bytes.
        unsafe {
            let places = places.as_mut_ptr().cast();
            _mm512_storeu_si512(places, _mm512_maskz_compress_epi8(bits, indices));
        }
        let base = _mm512_set1_epi64((begin + 64 * word).cast_signed() as i64);
        let end = n + bits.count_ones() as usize;
        for places in places.chunks_exact(8) {
            if n >= end {
                break;
            }
            let room: &mut [usize; 8] = list[n..].first_chunk_mut().unwrap_or_else(|| no_room());
            // SAFETY: there are 8 bytes, and 8 numbers.
            unsafe {
                let places = _mm512_cvtepu8_epi64(_mm_loadl_epi64(places.as_ptr().cast()));
                let places = _mm512_add_epi64(places, base);
                _mm512_storeu_si512(room.as_mut_ptr().cast(), places);
            }
            n += 8;
        }
        n = end;
    }
    n
}

#[cold]
fn no_room() -> ! {
    unreachable!("the caller counts the bits")
}

/// From three bytes each, the first in the highest place.
#[target_feature(enable = "avx512f")]
fn code_points(bytes: __m512i) -> __m512i {
    let lead = _mm512_srli_epi32::<4>(_mm512_and_si512(bytes, _mm512_set1_epi32(0x0F_0000)));
    let middle = _mm512_srli_epi32::<2>(_mm512_and_si512(bytes, _mm512_set1_epi32(0x3F00)));
    let last = _mm512_and_si512(bytes, _mm512_set1_epi32(0x3F));
    _mm512_or_si512(_mm512_or_si512(lead, middle), last)
}

/// Not zero where a token may span the boundary before a character; the first does not count.
#[target_feature(enable = "avx512f")]
fn are_joined(tables: &Seams, right: __m512i) -> __m512i {
    let both = _mm512_or_si512(_mm512_slli_epi32::<16>(before(right)), right);
    let product = _mm512_mullo_epi32(both, _mm512_set1_epi32(HASH_FACTOR.cast_signed()));
    let hash = _mm512_srli_epi32::<{ 32 - HASH_BITS }>(product);
    let (pairs, joins) = tables.tables();
    // SAFETY: a hash has 20 bits, and there are as many bits in the table; a code point has 16
    // bits, and there are as many bytes in the table and three more.
    let (words, joins) = unsafe {
        (
            _mm512_i32gather_epi32::<4>(_mm512_srli_epi32::<5>(hash), pairs.as_ptr().cast()),
            _mm512_i32gather_epi32::<1>(right, joins.as_ptr().cast()),
        )
    };
    let bit = _mm512_srlv_epi32(words, _mm512_and_si512(hash, _mm512_set1_epi32(31)));
    let is_pair = _mm512_and_si512(bit, _mm512_set1_epi32(1));
    let left = _mm512_srli_epi32::<LEFT>(before(joins));
    let is_cut = _mm512_and_si512(_mm512_and_si512(left, joins), _mm512_set1_epi32(RIGHT.into()));
    _mm512_or_si512(is_pair, is_cut)
}
