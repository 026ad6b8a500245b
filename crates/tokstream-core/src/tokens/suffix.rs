//! A token that ends at some byte, with its length: most questions about it need no other table.

use bytemuck::{Pod, Zeroable};

/// Bits of the token's number; a vocabulary has fewer nodes, and so fewer tokens.
const TOKEN_BITS: u32 = 24;
const MAX_LENGTH: usize = (1 << (u32::BITS - TOKEN_BITS)) - 1;

/// Forest id, and above it the length in bytes, or `MAX_LENGTH` for that and more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Zeroable, Pod)]
#[repr(transparent)]
pub(crate) struct Suffix(u32);

impl Suffix {
    #[inline(always)]
    pub(crate) fn new(token: u32, length: usize) -> Self {
        Self(token | (length.min(MAX_LENGTH) as u32) << TOKEN_BITS)
    }

    /// Its forest id; 0 is no token.
    #[inline(always)]
    pub(crate) fn token(self) -> u32 {
        self.0 & ((1 << TOKEN_BITS) - 1)
    }

    /// Its length, right in texts shorter than `MAX_LENGTH` bytes.
    #[inline(always)]
    pub(crate) fn length(self) -> usize {
        (self.0 >> TOKEN_BITS) as usize
    }

    /// Behind `n` bytes of a text of fewer than `MAX_LENGTH`: may Merge have another last token?
    /// Not if this one is all of the text so far, or the last byte.
    #[inline(always)]
    pub(crate) fn needs_test(self, n: usize) -> bool {
        let length = self.length();
        length != n + 1 && length != 1
    }
}
