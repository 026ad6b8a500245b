//! 64 bytes in one register, for processors with AVX-512.

use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_maskz_loadu_epi8};

/// Bytes of a register.
pub(crate) const WIDTH: usize = 64;

/// The first bytes of `from`, up to 64, then zeros.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
pub(crate) fn load_first(from: &[u8]) -> __m512i {
    match from.first_chunk::<WIDTH>() {
        // SAFETY: the chunk has 64 bytes, and any address will do.
        Some(chunk) => unsafe { _mm512_loadu_si512(chunk.as_ptr().cast()) },
        // SAFETY: only the bytes of the slice are read.
        None => unsafe { _mm512_maskz_loadu_epi8((1 << from.len()) - 1, from.as_ptr().cast()) },
    }
}
