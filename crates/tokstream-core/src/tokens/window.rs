//! The exact window: which token boundaries of a live pretoken every continuation keeps.
//!
//! Let x be the text so far. The next token of a continuation that reaches past x begins at some
//! boundary j, and x from j on is a proper prefix of it, so j belongs to the window
//!
//!   W = {|x|} ∪ { j : some token w has x from j on as proper prefix, and w may follow the last
//!       token of x up to j }.
//!
//! What the paths to all members of W have in common is exactly the maximum stable prefix.

use super::vocabulary::Vocabulary;

/// Answers kept between calls; must be cleared when another vocabulary uses it.
const N_MEMO: usize = 1 << 14;

/// Buffers and remembered answers; bounded.
#[derive(Debug, Default)]
pub struct Window {
    /// For each boundary, the first one on its path that is also on the path to the end.
    meets: Vec<u32>,
    candidates: Vec<(u32, u32, u32)>,
    /// Last token and automaton node, and in the lowest bit: is there a token below the node that
    /// may follow? 0 is no answer.
    memo: Vec<u64>,
}

impl Window {
    /// Largest boundary that all paths to the window's members pass; 0 if there is none.
    pub(crate) fn stable_boundary(
        &mut self,
        vocabulary: &Vocabulary,
        text: &[u8],
        last: &[u32],
        mut node: u32,
    ) -> usize {
        let n = last.len();
        // Members of the window before the exact question is asked, longest suffix first.
        self.candidates.clear();
        while node != 0 {
            if vocabulary.automaton.has_children(node) {
                let depth = vocabulary.automaton.depth(node);
                if depth == n {
                    return 0; // the whole text may still be the beginning of one token
                }
                self.candidates.push((0, (n - depth) as u32, node));
            }
            node = vocabulary.automaton.fail(node);
        }
        self.find_meets(vocabulary, last);
        for candidate in &mut self.candidates {
            candidate.0 = self.meets[candidate.1 as usize];
        }
        // The first member found decides; shorter subtrees (longer suffixes) are asked first.
        self.candidates.sort_unstable();
        let mut boundary = n;
        for index in 0..self.candidates.len() {
            let (meet, at, node) = self.candidates[index];
            let token = last[at as usize - 1];
            if self.may_follow(vocabulary, token, &text[at as usize..], node) {
                boundary = meet as usize;
                break;
            }
        }
        boundary
    }

    fn find_meets(&mut self, vocabulary: &Vocabulary, last: &[u32]) {
        let n = last.len();
        self.meets.clear();
        self.meets.resize(n + 1, u32::MAX);
        let mut at = n;
        while at > 0 {
            self.meets[at] = at as u32;
            at -= vocabulary.forest.length(last[at - 1]);
        }
        self.meets[0] = 0;
        for at in 1..n {
            if self.meets[at] == u32::MAX {
                self.meets[at] = self.meets[at - vocabulary.forest.length(last[at - 1])];
            }
        }
    }

    /// Is there a token of which `prefix` (the string of `node`) is a proper prefix, and which
    /// may follow `token`?
    fn may_follow(
        &mut self,
        vocabulary: &Vocabulary,
        token: u32,
        prefix: &[u8],
        node: u32,
    ) -> bool {
        if self.memo.is_empty() {
            self.memo.resize(N_MEMO, 0);
        }
        // A node fits in 24 bits, and no last token is 0.
        let key = (u64::from(token) << 24 | u64::from(node)) << 1;
        let slot = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as usize % N_MEMO;
        if self.memo[slot] & !1 == key {
            return self.memo[slot] & 1 == 1;
        }
        let Vocabulary { forest, extensions, .. } = vocabulary;
        let answer = extensions.any_may_follow(forest, token, prefix);
        self.memo[slot] = key | u64::from(answer);
        answer
    }
}
