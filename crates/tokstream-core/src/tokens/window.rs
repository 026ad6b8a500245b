//! The exact window: which token boundaries of a live pretoken every continuation keeps.
//!
//! Let x be the text so far. The next token of a continuation that reaches past x begins at some
//! boundary j, and x from j on is a proper prefix of it, so j belongs to the window
//!
//!   W = {|x|} ∪ { j : some token w has x from j on as proper prefix, w may follow the last token
//!       of x up to j, and the live pretoken may take in the rest of w }.
//!
//! What the paths to all members of W have in common is stable; without the last condition it is
//! exactly the maximum stable prefix of Merge.

use crate::prefetch::prefetch;
use crate::pretokens::{Automaton, Growing};

use super::live::Live;
use super::vocabulary::Vocabulary;

/// Answers kept between calls; must be cleared when another tokenizer uses it.
const N_MEMO: usize = 1 << 15;
/// Set in the numbers of short texts.
const SHORT: u64 = 1 << 62;

/// A number for a text of up to seven bytes, below 2⁶³ and beyond those of tokens and nodes.
fn short(text: &[u8]) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes.get_mut(..text.len()).filter(|bytes| bytes.len() < 8)?.copy_from_slice(text);
    Some(u64::from_le_bytes(bytes) | (text.len() as u64) << 56 | SHORT)
}

/// Where the answer to a question is remembered.
fn slot([asked, growing]: [u64; 2]) -> usize {
    let hash = (asked ^ growing << 40).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (hash >> 40) as usize % N_MEMO
}

/// Buffers and remembered answers; bounded.
#[derive(Debug, Default)]
pub struct Window {
    /// Members: what they have in common with the end, where they are, the node of the rest.
    candidates: Vec<(u32, u32, u32)>,
    /// Last token and automaton node, or a short text, with the answer in the lowest bit; what may
    /// grow. 0 is none.
    memo: Vec<[u64; 2]>,
}

/// What a token across the end must fit: the matches of the pattern that may still grow.
pub(crate) struct Across<'a> {
    pub(crate) automaton: &'a Automaton,
    pub(crate) growing: Growing,
}

impl Window {
    /// Largest boundary that all paths to the window's members pass; 0 if there is none.
    pub(crate) fn stable_boundary(
        &mut self,
        vocabulary: &Vocabulary,
        across: &Across<'_>,
        text: &[u8],
        live: &Live,
    ) -> usize {
        let n = live.n_bytes();
        let mut node = live.node();
        // Members of the window before the exact question is asked, longest suffix first.
        self.candidates.clear();
        while node != 0 {
            if vocabulary.automaton.has_children(node) {
                let at = n - vocabulary.automaton.depth(node);
                if at == 0 && self.may_follow(vocabulary, across, 0, text, node) {
                    return 0; // the whole text may still be the beginning of one token
                }
                if at > 0 {
                    let common = live.common_boundary(vocabulary, at, n);
                    self.candidates.push((common as u32, at as u32, node));
                }
            }
            node = vocabulary.automaton.fail(node);
        }
        // The first member found decides; shorter subtrees (longer suffixes) are asked first.
        self.candidates.sort_unstable();
        let mut boundary = n;
        for index in 0..self.candidates.len() {
            let (common, at, node) = self.candidates[index];
            let token = live.last_token(at as usize);
            if self.may_follow(vocabulary, across, token, &text[at as usize..], node) {
                boundary = common as usize;
                break;
            }
        }
        boundary
    }

    /// Is there a token of which `prefix` (the string of `node`) is a proper prefix, which may
    /// follow `token`, and whose rest the pattern may take in?
    pub(crate) fn may_follow(
        &mut self,
        vocabulary: &Vocabulary,
        across: &Across<'_>,
        token: u32,
        prefix: &[u8],
        node: u32,
    ) -> bool {
        // A node fits in 24 bits.
        let question = [u64::from(token) << 24 | u64::from(node), across.growing.key()];
        let slot = match self.remembered(question) {
            Ok(answer) => return answer,
            Err(slot) => slot,
        };
        let Vocabulary { forest, automaton, extensions, .. } = vocabulary;
        let may_take = |rest: &[u8]| across.growing.may_take(across.automaton, rest);
        let answer =
            extensions.any_may_follow(forest, token, prefix, automaton.first(node), &may_take);
        self.remember(slot, question, answer);
        answer
    }

    /// May all of `text`, behind an emitted boundary, still be the beginning of one token?
    ///
    /// Cost: O(bytes not yet seen); O(1), without the automaton, if it is short and was asked about
    /// before, as most beginnings of words were.
    pub(crate) fn may_begin(
        &mut self,
        vocabulary: &Vocabulary,
        across: &Across<'_>,
        text: &[u8],
        live: &mut Live,
    ) -> bool {
        let question = short(text).map(|text| [text, across.growing.key()]);
        let known = question.map(|question| self.remembered(question));
        if let Some(Ok(answer)) = known {
            return answer;
        }
        let node = live.prefix(vocabulary, text);
        let answer = node.is_some_and(|node| self.may_follow(vocabulary, across, 0, text, node));
        if let (Some(question), Some(Err(slot))) = (question, known) {
            self.remember(slot, question, answer);
        }
        answer
    }

    /// Bring near what is remembered about `text`, about which `may_begin` will be asked.
    pub(crate) fn prefetch(&self, text: &[u8], growing: Growing) {
        if let Some(text) = short(text)
            && let Some(answer) = self.memo.get(slot([text, growing.key()]))
        {
            prefetch(answer);
        }
    }

    /// The answer to a question, whose first number is below 2⁶³; or where it should be put.
    fn remembered(&mut self, [asked, growing]: [u64; 2]) -> Result<bool, usize> {
        if self.memo.is_empty() {
            // Zeroed by the system as it is touched.
            self.memo = vec![[0; 2]; N_MEMO];
        }
        let slot = slot([asked, growing]);
        let [known, known_growing] = self.memo[slot];
        let is_known = (known >> 1, known_growing) == (asked, growing);
        if is_known { Ok(known & 1 == 1) } else { Err(slot) }
    }

    fn remember(&mut self, slot: usize, [asked, growing]: [u64; 2], answer: bool) {
        self.memo[slot] = [asked << 1 | u64::from(answer), growing];
    }
}
