//! A run that ends, or begins, where a text is cut so that several threads encode it.

use crate::core::Core;
use crate::pretokens::Scan;
use crate::scratch::Scratch;

use super::Run;

impl Run {
    /// A run that begins inside a pretoken, read in `state`, at a boundary that no token spans.
    pub(in crate::stream) fn inside(state: u16) -> Self {
        // Positions begin behind that of the pretoken.
        Self { origin: 1, scan: Scan::inside(state), is_partial: true, ..Self::default() }
    }

    /// Read `after`, the first character behind the cut: does a pretoken end before it? Then all
    /// ids before it are out.
    pub(in crate::stream) fn ends_before(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        after: &[u8],
        out: &mut Vec<u32>,
    ) -> bool {
        self.feed(core, scratch, after, out);
        self.pending.len() == after.len() && !self.is_partial && self.live.n_bytes() == 0
    }

    /// All text so far is followed by more of the same pretoken, and no token spans the boundary:
    /// give out its ids. Returns the state in which the rest is read; `None` if it is not certain
    /// that the pretoken goes on.
    pub(in crate::stream) fn part_here(
        &mut self,
        core: &Core,
        scratch: &mut Scratch,
        out: &mut Vec<u32>,
    ) -> Option<u16> {
        let state = self.scan.state_inside(&core.automaton)?;
        if !self.is_partial && core.vocabulary.may_become_whole_piece(&self.pending) {
            return None;
        }
        let pending = std::mem::take(&mut self.pending);
        self.is_partial = true;
        self.close_live(core, scratch, &pending, out);
        Some(state)
    }
}
