//! Merge of many short texts at once.
//!
//! In: where each is in the text at hand. Out: the ids of each. In steps, so that what one step
//! reads is on its way from memory since the step before: the longest token at each byte, in
//! lanes; the tests of those that may not be the last token there; ids. Held back: nothing.

use super::lanes::{self, Job};
use super::suffix::Suffix;
use super::vocabulary::Vocabulary;

/// Longest text of a job, in bytes: a few times the longest pretoken that is kept.
pub(super) const MAX_BYTES: usize = 254;
/// Bytes of all texts, save the last of them.
const MAX_VALUES: usize = 4096;

/// Texts to merge.
#[derive(Debug)]
pub(super) struct Jobs {
    list: Vec<Job>,
    /// For each byte of each text, the last token of Merge up to there.
    last: Vec<Suffix>,
    n_bytes: usize,
}

impl Default for Jobs {
    fn default() -> Self {
        let last = vec![Suffix::default(); MAX_VALUES + MAX_BYTES];
        Self { list: Vec::new(), last, n_bytes: 0 }
    }
}

impl Jobs {
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.n_bytes = 0;
    }

    /// Add a text of 1 to `MAX_BYTES` bytes, if these are not full.
    pub(super) fn push(&mut self, begin: usize, length: usize) {
        debug_assert!((1..=MAX_BYTES).contains(&length), "a short text");
        self.list.push(Job { begin, length, values: self.n_bytes });
        self.n_bytes += length;
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    pub(super) fn is_full(&self) -> bool {
        self.n_bytes > MAX_VALUES
    }

    /// Find the last tokens, of texts that are parts of `text`.
    pub(super) fn merge(&mut self, vocabulary: &Vocabulary, text: &[u8]) {
        let last = &mut self.last;
        lanes::longest_suffixes(&vocabulary.automaton, text, &self.list, last);
        let forest = &vocabulary.forest;
        for job in &self.list {
            let last = &last[job.values..job.values + job.length];
            // A text that is one token needs no tests.
            if last[job.length - 1].length() < job.length {
                for (n, suffix) in last.iter().enumerate() {
                    if suffix.needs_test(n) {
                        forest.prefetch(suffix.token());
                    }
                }
            }
        }
        for job in &self.list {
            let last = &mut last[job.values..job.values + job.length];
            if last[job.length - 1].length() < job.length {
                vocabulary.test(&text[job.begin..job.begin + job.length], last);
            }
            for suffix in path(last) {
                forest.prefetch_id(suffix.token());
            }
        }
    }

    /// Append the ids of the text `index`.
    pub(super) fn emit(&self, index: usize, vocabulary: &Vocabulary, out: &mut Vec<u32>) {
        let job = &self.list[index];
        let begin = out.len();
        let path = path(&self.last[job.values..job.values + job.length]);
        out.extend(path.map(|suffix| vocabulary.forest.id(suffix.token())));
        out[begin..].reverse();
    }

    /// The text `index`, a part of `text`.
    pub(super) fn text<'a>(&self, index: usize, text: &'a [u8]) -> &'a [u8] {
        let job = &self.list[index];
        &text[job.begin..job.begin + job.length]
    }
}

/// From the end to the beginning, the tokens that the text became.
fn path(last: &[Suffix]) -> impl Iterator<Item = Suffix> + '_ {
    let mut at = last.len();
    std::iter::from_fn(move || {
        let suffix = *last.get(at.checked_sub(1)?)?;
        at -= suffix.length();
        Some(suffix)
    })
}

impl Vocabulary {
    /// Turn, for each byte of a short text, the longest token that ends there into the last token
    /// of Merge up to and including that byte.
    #[inline(never)]
    fn test(&self, text: &[u8], last: &mut [Suffix]) {
        for (n, &byte) in text.iter().enumerate() {
            if last[n].needs_test(n) {
                let token = self.last_token(last[n].token(), byte, |at| last[at].token(), n);
                last[n] = Suffix::new(token, self.forest.length(token));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::merge::MergeScratch;
    use super::super::vocabulary::TokenTable;
    use super::*;

    /// All bytes, runs of `a` of some lengths, and pairs of letters.
    fn vocabulary() -> Vocabulary {
        let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
        let pairs = [b"ba", b"cb", b"ab", b"ca", b"ac"];
        tokens.extend([2, 4, 8, 16, 32, 64, 128, 256, 512].map(|n| vec![b'a'; n]));
        tokens.extend(pairs.map(|pair| pair.to_vec()));
        tokens.extend([b"bac".to_vec(), b"cbac".to_vec(), b"abca".to_vec(), b"acab".to_vec()]);
        let lengths: Vec<u32> = tokens.iter().map(|token| token.len() as u32).collect();
        let ids = (0..tokens.len() as u32).collect();
        let table = TokenTable::new(tokens.concat(), &lengths, ids).expect("a sound table");
        Vocabulary::new(&table).expect("a sound vocabulary")
    }

    #[test]
    fn together_is_as_one_by_one() {
        let vocabulary = vocabulary();
        let mut state = 99_u64;
        let mut next = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % n
        };
        for round in 0..200 {
            let n_letters = 1 + round % 3;
            let text: Vec<u8> =
                (0..4096 + MAX_BYTES).map(|_| b'a' + next(n_letters) as u8).collect();
            let mut jobs = Jobs::default();
            let mut begin = 0;
            while !jobs.is_full() && text.len() - begin >= MAX_BYTES {
                let length = 1 + if next(4) == 0 { next(MAX_BYTES) } else { next(15) };
                jobs.push(begin, length);
                begin += length;
            }
            jobs.merge(&vocabulary, &text);
            for index in 0..jobs.len() {
                let (mut ids, mut expected) = (vec![7], vec![7]);
                jobs.emit(index, &vocabulary, &mut ids);
                let piece = jobs.text(index, &text);
                vocabulary.merge(piece, &mut MergeScratch::default(), &mut expected);
                assert_eq!(ids, expected, "{piece:?}");
            }
        }
    }
}
