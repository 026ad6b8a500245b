//! How text is read: with the best instructions that the processor has, or as the environment says.

#[cfg(target_arch = "x86_64")]
pub(crate) mod half_wide;
#[cfg(target_arch = "x86_64")]
pub(crate) mod wide;

/// Name of the environment variable that chooses, for tests and to find faults.
const VARIABLE: &str = "TOKSTREAM_SIMD";

/// A way to find the ends of pretokens; all give the same ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// A character at a time, by the automaton itself.
    Plain,
    /// A block at a time.
    Scalar,
    /// A block at a time, with AVX2.
    Avx2,
    /// A block at a time, with AVX-512 (VBMI2).
    Avx512,
}

impl Path {
    /// All of them that this processor can take, the best last.
    #[must_use]
    pub fn available() -> &'static [Self] {
        let all = &[Self::Plain, Self::Scalar, Self::Avx2, Self::Avx512];
        match (has_avx2(), has_avx512()) {
            (true, true) => all,
            (true, false) => &all[..3],
            _ => &all[..2],
        }
    }

    /// What the environment names, or the best if that is not available.
    #[must_use]
    pub fn from_environment() -> Self {
        let named = std::env::var(VARIABLE).unwrap_or_default();
        let available = Self::available();
        let best = available.last().copied().unwrap_or(Self::Scalar);
        available.iter().copied().find(|path| path.name() == named).unwrap_or(best)
    }

    /// As the environment names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Scalar => "scalar",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }
}

#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(target_arch = "x86_64")]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vbmi")
        && is_x86_feature_detected!("avx512vbmi2")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("popcnt")
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx2() -> bool {
    false
}

#[cfg(not(target_arch = "x86_64"))]
fn has_avx512() -> bool {
    false
}
