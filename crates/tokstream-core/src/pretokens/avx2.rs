//! Symbols of 32 bytes at a time, for processors with AVX2.
//!
//! Gives what its plain counterpart in `symbols` gives.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_add_epi8, _mm_add_epi16, _mm_cvtepu8_epi16, _mm_loadl_epi64,
    _mm_loadu_si128, _mm_set1_epi8, _mm_set1_epi16, _mm_shuffle_epi8, _mm_storel_epi64,
    _mm_storeu_si128, _mm256_add_epi16, _mm256_adds_epu8, _mm256_and_si256, _mm256_blendv_epi8,
    _mm256_broadcastsi128_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi8,
    _mm256_extracti128_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
    _mm256_set1_epi16, _mm256_setr_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8,
    _mm256_slli_epi16, _mm256_storeu_si256, _mm256_xor_si256,
};

use crate::simd::half_wide::{WIDTH, load_first};

use super::symbols::{ByteClasses, LOOK};

/// Bytes that are put side by side at a time.
const GROUP: usize = 8;

/// By bits of eight bytes: the places of those that are kept, in order, then zeros.
static PLACES: [[u8; GROUP]; 256] = {
    let mut places = [[0; GROUP]; 256];
    let mut bits = 0;
    while bits < 256 {
        let (mut n, mut place) = (0, 0);
        while place < GROUP {
            if bits >> place & 1 == 1 {
                places[bits][n] = place as u8;
                n += 1;
            }
            place += 1;
        }
        bits += 1;
    }
    places
};

/// What is looked up, 16 bytes of a table in each half.
struct Tables {
    ascii: [__m256i; 8],
    /// Bytes from 0xC0 on, in which characters begin.
    leads: [__m256i; 4],
    row: [__m256i; 4],
}

impl Tables {
    #[target_feature(enable = "avx2")]
    fn new(classes: &ByteClasses) -> Self {
        let load = |table: &[u8], k: usize| {
            // SAFETY: the slice has 16 bytes, and any address will do.
            let row = unsafe { _mm_loadu_si128(table[16 * k..16 * k + 16].as_ptr().cast()) };
            _mm256_broadcastsi128_si256(row)
        };
        Self {
            ascii: std::array::from_fn(|k| load(&classes.of_byte, k)),
            leads: std::array::from_fn(|k| load(&classes.of_byte, 12 + k)),
            row: std::array::from_fn(|k| load(&classes.row, k)),
        }
    }
}

/// Look `bytes` up where they belong to the parts of a table, the first of which is number
/// `first`; all others are zero.
#[target_feature(enable = "avx2")]
#[inline]
fn look_up(parts: &[__m256i], first: usize, bytes: __m256i) -> __m256i {
    let mut found = _mm256_setzero_si256();
    for (k, &part) in (first..).zip(parts) {
        // Bytes of the part become 0x70 to 0x7F, whose lower half is looked up; all others have
        // the upper bit, which looks up zero.
        let index = _mm256_xor_si256(bytes, _mm256_set1_epi8((k << 4) as i8));
        let index = _mm256_adds_epu8(index, _mm256_set1_epi8(0x70));
        found = _mm256_or_si256(found, _mm256_shuffle_epi8(part, index));
    }
    found
}

/// Symbols of the characters of `text[begin..end]`, and where they begin in it; returns how many.
/// Where a byte does not tell, `look` does, for the character that begins at that index of `text`.
/// `symbols` and `begins` have room for 64 more than there are bytes.
///
/// # Safety
/// `Path::available` must have AVX2.
#[target_feature(enable = "avx2,popcnt")]
pub(crate) unsafe fn read(
    classes: &ByteClasses,
    look: &impl Fn(usize) -> u8,
    text: &[u8],
    begin: usize,
    end: usize,
    symbols: &mut [u8],
    begins: &mut [u16],
) -> usize {
    let tables = Tables::new(classes);
    let mut n = 0;
    for at in (begin..end).step_by(WIDTH) {
        let bytes = load_first(&text[at..end]);
        let n_bytes = (end - at).min(WIDTH);
        let high = _mm256_movemask_epi8(bytes).cast_unsigned();
        if high == 0 {
            let found = look_up(&tables.ascii, 0, bytes);
            store_all(found, at - begin, &mut symbols[n..], &mut begins[n..]);
            n += n_bytes;
            continue;
        }
        let mut found = look_up(&tables.leads, 12, bytes);
        if high != u32::MAX {
            found = _mm256_or_si256(found, look_up(&tables.ascii, 0, bytes));
        }
        let in_row = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(classes.row_lead as i8));
        if _mm256_movemask_epi8(in_row) != 0 {
            let second = load_first(&text[at + 1..]);
            let second = _mm256_and_si256(second, _mm256_set1_epi8(0x3F));
            found = _mm256_blendv_epi8(found, look_up(&tables.row, 0, second), in_row);
        }
        // All but those of the form 10xxxxxx begin a character.
        let sixth = _mm256_movemask_epi8(_mm256_slli_epi16::<1>(bytes)).cast_unsigned();
        let keep = (!high | sixth) & (u32::MAX >> (WIDTH - n_bytes));
        let unknown = _mm256_cmpeq_epi8(found, _mm256_set1_epi8(LOOK as i8));
        let mut unknown = _mm256_movemask_epi8(unknown).cast_unsigned() & keep;
        compress(keep, found, at - begin, &mut symbols[n..], &mut begins[n..]);
        while unknown != 0 {
            let below = (unknown & unknown.wrapping_neg()) - 1;
            let place = n + (keep & below).count_ones() as usize;
            symbols[place] = look(at + unknown.trailing_zeros() as usize);
            unknown &= unknown - 1;
        }
        n += keep.count_ones() as usize;
    }
    n
}

/// Store all symbols, and where they begin, the first at `at`.
#[target_feature(enable = "avx2")]
#[inline]
fn store_all(found: __m256i, at: usize, symbols: &mut [u8], begins: &mut [u16]) {
    let first = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let low = _mm256_add_epi16(first, _mm256_set1_epi16(at as i16));
    let high = _mm256_add_epi16(low, _mm256_set1_epi16(16));
    let (symbols, begins) = (&mut symbols[..WIDTH], &mut begins[..WIDTH]);
    let (low_begins, high_begins) = begins.split_at_mut(WIDTH / 2);
    // SAFETY: each has room for 32 bytes, and any address will do.
    unsafe {
        _mm256_storeu_si256(symbols.as_mut_ptr().cast(), found);
        _mm256_storeu_si256(low_begins.as_mut_ptr().cast(), low);
        _mm256_storeu_si256(high_begins.as_mut_ptr().cast(), high);
    }
}

/// Store the kept symbols and where they begin, the first of all at `at`; eight more may be
/// written than are kept.
#[target_feature(enable = "avx2,popcnt")]
#[inline]
fn compress(keep: u32, found: __m256i, at: usize, symbols: &mut [u8], begins: &mut [u16]) {
    let halves = [_mm256_castsi256_si128(found), _mm256_extracti128_si256::<1>(found)];
    let mut n = 0;
    for (k, keep) in keep.to_le_bytes().into_iter().enumerate() {
        // SAFETY: it has 8 bytes, and any address will do.
        let places = unsafe { _mm_loadl_epi64(PLACES[usize::from(keep)].as_ptr().cast()) };
        let in_half = _mm_add_epi8(places, _mm_set1_epi8((k % 2 * GROUP) as i8));
        let kept = _mm_shuffle_epi8(halves[k / 2], in_half);
        let base = _mm_set1_epi16((at + k * GROUP) as i16);
        store_group(
            kept,
            _mm_add_epi16(_mm_cvtepu8_epi16(places), base),
            &mut symbols[n..],
            &mut begins[n..],
        );
        n += keep.count_ones() as usize;
    }
}

/// Store eight symbols and where they begin.
#[target_feature(enable = "avx2")]
#[inline]
fn store_group(kept: __m128i, places: __m128i, symbols: &mut [u8], begins: &mut [u16]) {
    let (symbols, begins) = (&mut symbols[..GROUP], &mut begins[..GROUP]);
    // SAFETY: there is room for 8 and 16 bytes, and any address will do.
    unsafe {
        _mm_storel_epi64(symbols.as_mut_ptr().cast(), kept);
        _mm_storeu_si128(begins.as_mut_ptr().cast(), places);
    }
}
