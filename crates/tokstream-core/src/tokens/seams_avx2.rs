//! Boundaries that no token spans, seven at a time, for processors with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_setr_epi8, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8,
    _mm256_cmpeq_epi32, _mm256_i32gather_epi32, _mm256_madd_epi16, _mm256_maddubs_epi16,
    _mm256_movemask_epi8, _mm256_mullo_epi32, _mm256_or_si256, _mm256_permutevar8x32_epi32,
    _mm256_set1_epi8, _mm256_set1_epi32, _mm256_setr_epi32, _mm256_setzero_si256,
    _mm256_shuffle_epi8, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_srlv_epi32,
};

use crate::simd::half_wide::{WIDTH, load_first};

use super::seams::{HASH_BITS, HASH_FACTOR, LEFT, RIGHT, Seams};
use super::seams_plain;

/// Bytes of the characters that are looked at together.
const CHAIN: usize = 24;
/// Every third byte of them: where characters of three bytes begin.
const EVERY_THIRD: u32 = 0x24_9249;

/// Bits of the bytes that begin a character of three.
#[target_feature(enable = "avx2")]
#[inline]
fn leads(bytes: __m256i) -> u32 {
    let upper = _mm256_and_si256(bytes, _mm256_set1_epi8(0xF0_u8.cast_signed()));
    let are_leads = _mm256_cmpeq_epi8(upper, _mm256_set1_epi8(0xE0_u8.cast_signed()));
    _mm256_movemask_epi8(are_leads).cast_unsigned()
}

/// As `seams_plain::find`.
///
/// # Safety
/// `Path::available` must have AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn find(tables: &Seams, text: &[u8], bits: &mut [u64]) -> bool {
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
        loop {
            let bytes = load_first(&text[at..]);
            let others = !leads(bytes) & EVERY_THIRD;
            let n_bytes = (others | 1 << CHAIN).trailing_zeros() as usize;
            // The first has none before it here, and behind the chain is something else.
            let free = are_free(tables, bytes) & ((1 << n_bytes) - 1) & !1;
            let found = u128::from(free) << (at % 64);
            bits[at / 64] |= found as u64;
            bits[at / 64 + 1] |= (found >> 64) as u64;
            any |= free;
            if others != 0 {
                at += n_bytes;
                break;
            }
            // A chain that may go on is taken up at its last character.
            at += CHAIN - 3;
        }
    }
    any != 0
}

/// As `seams_plain::positions`.
///
/// # Safety
/// `Path::available` must have AVX2.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
pub(super) unsafe fn positions(bits: &[u64], begin: usize, list: &mut [usize]) -> usize {
    seams_plain::positions(bits, begin, list)
}

/// Of eight characters of three bytes: the bit of the first byte, if no token spans the boundary
/// before it; that of the first one means nothing.
#[target_feature(enable = "avx2")]
#[inline]
fn are_free(tables: &Seams, bytes: __m256i) -> u32 {
    // Four characters in each half, each in four bytes of its own.
    let halves = _mm256_permutevar8x32_epi32(bytes, _mm256_setr_epi32(0, 1, 2, 3, 3, 4, 5, 6));
    let spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
    let spread = _mm256_shuffle_epi8(halves, _mm256_broadcastsi128_si256(spread));
    // 6 bits of each byte, save 4 of the first one: first two of them together, then all.
    let parts = _mm256_and_si256(spread, _mm256_set1_epi32(0x3F_3F0F));
    let pairs = _mm256_maddubs_epi16(parts, _mm256_set1_epi32(0x01_0140));
    let right = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x1_0040));
    let is_joined = are_joined(tables, right);
    let is_free = _mm256_cmpeq_epi32(is_joined, _mm256_setzero_si256());
    // Back to where the characters begin.
    let places = _mm_setr_epi8(0, -1, -1, 4, -1, -1, 8, -1, -1, 12, -1, -1, -1, -1, -1, -1);
    let is_free = _mm256_shuffle_epi8(is_free, _mm256_broadcastsi128_si256(places));
    let bits = _mm256_movemask_epi8(is_free).cast_unsigned();
    bits & 0xFFF | bits >> 16 << 12
}

/// Each lane's value from the lane before.
#[target_feature(enable = "avx2")]
#[inline]
fn before(values: __m256i) -> __m256i {
    _mm256_permutevar8x32_epi32(values, _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6))
}

/// Not zero where a token may span the boundary before a character; the first does not count.
#[target_feature(enable = "avx2")]
#[inline]
fn are_joined(tables: &Seams, right: __m256i) -> __m256i {
    let both = _mm256_or_si256(_mm256_slli_epi32::<16>(before(right)), right);
    let product = _mm256_mullo_epi32(both, _mm256_set1_epi32(HASH_FACTOR.cast_signed()));
    let hash = _mm256_srli_epi32::<{ 32 - HASH_BITS as i32 }>(product);
    let (pairs, joins) = tables.tables();
    // SAFETY: a hash has 20 bits, and there are as many bits in the table; a code point has 16
    // bits, and there are as many bytes in the table and three more.
    let (words, joins) = unsafe {
        (
            _mm256_i32gather_epi32::<4>(pairs.as_ptr().cast(), _mm256_srli_epi32::<5>(hash)),
            _mm256_i32gather_epi32::<1>(joins.as_ptr().cast(), right),
        )
    };
    let bit = _mm256_srlv_epi32(words, _mm256_and_si256(hash, _mm256_set1_epi32(31)));
    let is_pair = _mm256_and_si256(bit, _mm256_set1_epi32(1));
    let left = _mm256_srli_epi32::<{ LEFT as i32 }>(before(joins));
    let is_cut = _mm256_and_si256(_mm256_and_si256(left, joins), _mm256_set1_epi32(RIGHT.into()));
    _mm256_or_si256(is_pair, is_cut)
}
