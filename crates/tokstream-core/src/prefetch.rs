//! Bringing memory near before it is read.

/// Ask for the cache line that holds `value`; a hint without effect on results.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T) {
    prefetch_at(value);
}

/// The same for what may lie at `address`, which need not be valid.
#[inline(always)]
pub(crate) fn prefetch_at<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and cannot fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
