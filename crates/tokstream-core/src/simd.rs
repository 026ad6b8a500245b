//! Which instructions are used: the best that the processor has, or what the environment says.

use std::sync::OnceLock;

/// `scalar`, or `avx512`, or unset for the best.
const VARIABLE: &str = "TOKSTREAM_SIMD";

/// Use AVX-512?
#[inline(always)]
pub(crate) fn has_avx512() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| is_available() && std::env::var(VARIABLE).as_deref() != Ok("scalar"))
}

#[cfg(target_arch = "x86_64")]
fn is_available() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(not(target_arch = "x86_64"))]
fn is_available() -> bool {
    false
}
