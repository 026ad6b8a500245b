//! The plain automaton over a stretch of text: the loop for what is not read in blocks.

use super::automaton::{Automaton, CUT, DIED, MATCHED};
use super::ends::Ends;

/// How far it runs before lengths are looked at, in bytes.
pub(super) const STRIDE: usize = 256;

/// The state of the loop; positions are in the text at hand, a match may have ended before it.
pub(super) struct Reading {
    pub(super) at: usize,
    pub(super) last: isize,
    pub(super) state: usize,
}

impl Reading {
    /// Read up to `pause`, at most `STRIDE` bytes on; true if the automaton died before
    /// `text[at]` without a match that ends there.
    ///
    /// Without a branch on where pretokens end: those are as good as random.
    #[inline(always)]
    pub(super) fn stride(
        &mut self,
        automaton: &Automaton,
        text: &[u8],
        pause: usize,
        ends: &mut Ends,
    ) -> bool {
        let Self { mut at, mut last, mut state } = *self;
        let room = ends.room(STRIDE + 1);
        let mut n = 0;
        let mut died = false;
        while at < pause {
            let (entry, width) = automaton.read_folded(state, text, at);
            if entry & DIED != 0 {
                died = true;
                break;
            }
            last = if entry & MATCHED != 0 { at as isize } else { last };
            room[n] = at;
            n += (entry & CUT != 0) as usize;
            state = (entry & 0xFFFF) as usize;
            at += width;
        }
        ends.grow(n);
        *self = Self { at, last, state };
        died
    }
}
