//! Comparison of two keys of 16 bytes with one, in few instructions: two are compared for each
//! pretoken.

use super::pieces::Key;

/// For each of `others` 1 if it is `key`, else 0.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn are_equal(key: Key, others: [&Key; 2]) -> [usize; 2] {
    use std::arch::x86_64::{__m128i, _mm_cmpeq_epi8, _mm_movemask_epi8};
    let key: __m128i = bytemuck::cast(key);
    others.map(|&other| {
        // SAFETY: every processor of this kind has SSE2.
        let bytes = unsafe { _mm_movemask_epi8(_mm_cmpeq_epi8(key, bytemuck::cast(other))) };
        // Sixteen bits are set, or fewer.
        ((bytes + 1) >> 16) as usize
    })
}

/// For each of `others` 1 if it is `key`, else 0.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn are_equal(key: Key, others: [&Key; 2]) -> [usize; 2] {
    others.map(|other| usize::from((other[0] ^ key[0]) | (other[1] ^ key[1]) == 0))
}
