//! 32 bytes in one register, for processors with AVX2.

use std::arch::x86_64::{__m256i, _mm256_loadu_si256};

/// Bytes of a register.
pub(crate) const WIDTH: usize = 32;

/// The first bytes of `from`, up to 32, then zeros.
#[target_feature(enable = "avx2")]
#[inline]
pub(crate) fn load_first(from: &[u8]) -> __m256i {
    let mut padded = [0; WIDTH];
    let bytes = from.first_chunk().unwrap_or_else(|| {
        padded[..from.len()].copy_from_slice(from);
        &padded
    });
    // SAFETY: the array has 32 bytes, and any address will do.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
