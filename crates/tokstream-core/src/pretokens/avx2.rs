//! Symbols of 32 ASCII bytes at a time, for processors with AVX2.

use std::arch::x86_64::{
    __m256i, _mm_loadu_si128, _mm256_add_epi16, _mm256_adds_epu8, _mm256_broadcastsi128_si256,
    _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8, _mm256_set1_epi16,
    _mm256_setr_epi16, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_storeu_si256,
    _mm256_xor_si256,
};

/// Bytes that are read at a time.
pub(crate) const WIDTH: usize = 32;

/// The symbols of ASCII bytes.
#[derive(Clone, Copy)]
pub(crate) struct Reader([__m256i; 8]);

impl Reader {
    /// From the symbols by byte.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn new(of_byte: &[u8; 256]) -> Self {
        Self(std::array::from_fn(|k| {
            // SAFETY: 16 bytes from 16 k on lie in the table.
            let row = unsafe { _mm_loadu_si128(of_byte[16 * k..16 * k + 16].as_ptr().cast()) };
            _mm256_broadcastsi128_si256(row)
        }))
    }

    /// The symbols of 32 bytes that begin at `at` in the block, and where they begin; false, and
    /// nothing of use, if not all are ASCII.
    ///
    /// # Safety
    /// The processor must have AVX2.
    #[target_feature(enable = "avx2")]
    pub(crate) unsafe fn read(
        &self,
        bytes: &[u8; WIDTH],
        at: usize,
        symbols: &mut [u8; WIDTH],
        begins: &mut [u16; WIDTH],
    ) -> bool {
        // SAFETY: the array has 32 bytes, and any address will do.
        let bytes = unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) };
        if _mm256_movemask_epi8(bytes) != 0 {
            return false;
        }
        let mut found = _mm256_setzero_si256();
        for (k, &row) in self.0.iter().enumerate() {
            // Bytes of the row become 0x70 to 0x7F, whose lower half is looked up; all others have
            // the upper bit, which looks up zero.
            let index = _mm256_xor_si256(bytes, _mm256_set1_epi8((k << 4) as i8));
            let index = _mm256_adds_epu8(index, _mm256_set1_epi8(0x70));
            found = _mm256_or_si256(found, _mm256_shuffle_epi8(row, index));
        }
        let first = _mm256_setr_epi16(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let low = _mm256_add_epi16(first, _mm256_set1_epi16(at as i16));
        let high = _mm256_add_epi16(low, _mm256_set1_epi16(16));
        let (low_begins, high_begins) = begins.split_at_mut(WIDTH / 2);
        // SAFETY: each has room for 32 bytes, and any address will do.
        unsafe {
            _mm256_storeu_si256(symbols.as_mut_ptr().cast(), found);
            _mm256_storeu_si256(low_begins.as_mut_ptr().cast(), low);
            _mm256_storeu_si256(high_begins.as_mut_ptr().cast(), high);
        }
        true
    }
}
