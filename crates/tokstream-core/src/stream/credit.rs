//! How much text may be merged anew.

/// So many bytes behind an emitted boundary are merged anew at once, in any case.
const FREE: usize = 1024;
/// Beyond that, each byte fed pays for so many.
const PER_BYTE: usize = 16;

/// Bytes that may still be merged anew behind emitted boundaries.
///
/// A text can be made for which much is pending and goes out a token at a time; then it waits for
/// more text, so that time stays linear.
#[derive(Clone, Debug, Default)]
pub(super) struct Credit(usize);

impl Credit {
    /// Text was fed.
    pub(super) fn earn(&mut self, n_bytes: usize) {
        self.0 = self.0.saturating_add(n_bytes.saturating_mul(PER_BYTE));
    }

    /// May `n_bytes` be merged anew? Then they are paid for.
    pub(super) fn can_merge_anew(&mut self, n_bytes: usize) -> bool {
        if n_bytes > FREE {
            match self.0.checked_sub(n_bytes) {
                Some(left) => self.0 = left,
                None => return false,
            }
        }
        true
    }
}
