//! What the unstable end of a text may turn into, as tiktoken sees it.
//!
//! In: ids of a text, and where its pretokens end; then the text that the last ids stand for. Out:
//! how many of the ids are unstable; the sequences of ids that the text may become. Held back:
//! nothing.
//!
//! tiktoken's idea, its approximations included: the last pretoken is unstable, and with it the
//! tokens of blanks before it. Some token lies across the end of the text; so try every token that
//! begins with a suffix of the unstable text, and encode what that makes of it. All those texts
//! begin alike: what was read and merged of the unstable text is kept, and only what the token adds
//! is read and merged for each.

use rustc_hash::FxHashSet;

use crate::core::Core;
use crate::pretokens::{Ends, Scan, Stop};
use crate::tokens::{MergeScratch, Overlaps};

/// Of these, tiktoken takes a cut between pretokens for one that may go away.
const BLANKS: &[u8] = b" \n\t";

impl Core {
    /// How many of the last `ids` are unstable, for a text whose pretokens end at `cuts` (or at
    /// least the last two do), counted from the beginning of the text behind its last added token.
    #[must_use]
    pub fn n_unstable(&self, ids: &[u32], cuts: &[u64]) -> usize {
        let Some((&end, before)) = cuts.split_last() else { return 0 };
        let begin = before.last().copied().unwrap_or(0);
        let mut at = end;
        let (mut n, mut is_blank) = (0, false);
        for token in ids.iter().rev().map_while(|&id| self.token_bytes(id)) {
            let is_in_last = at > begin;
            // All blanks before the last pretoken, if it begins with some.
            let is_now_blank = token.iter().all(|byte| BLANKS.contains(byte));
            if at == 0 || !(is_in_last || is_blank && is_now_blank) {
                break;
            }
            is_blank = is_now_blank;
            at = at.saturating_sub(token.len() as u64);
            n += 1;
        }
        n
    }

    /// A search for what `unstable`, text that is not empty, may turn into.
    #[must_use]
    pub fn complete<'a>(&'a self, unstable: &'a str) -> Search<'a> {
        Search::new(self, unstable)
    }
}

/// What was read and merged of a text, and goes on from there.
#[derive(Debug)]
struct Beginning {
    /// Ids of the complete pretokens, and where the live one begins.
    ids: Vec<u32>,
    begin: usize,
    scan: Scan,
    /// Last token up to each byte of the live pretoken, and the state that they lead to.
    last: Vec<u32>,
    node: u32,
}

impl Beginning {
    fn new(core: &Core, text: &[u8], ends: &mut Ends) -> Self {
        let (mut ids, mut begin, mut scan) = (Vec::new(), 0, Scan::default());
        let mut merge = MergeScratch::default();
        let mut stop = Stop::Full;
        while stop != Stop::End {
            ends.clear();
            stop = scan.run(&core.automaton, text, 0, begin as u64, ends);
            for &end in ends.as_slice() {
                core.vocabulary.merge(&text[begin..end], &mut merge, &mut ids);
                begin = end;
            }
        }
        let (mut node, mut last) = (0, Vec::new());
        core.vocabulary.extend(&mut node, &text[begin..], &mut last);
        Self { ids, begin, scan, last, node }
    }

    /// Last token up to each byte of `pretoken`, which begins where the live one does; the first
    /// `n_known` bytes were there before, if it has so many.
    fn go_on(&mut self, core: &Core, pretoken: &[u8], n_known: usize) -> &[u32] {
        self.last.truncate(n_known);
        let added = pretoken.get(n_known..).unwrap_or_default();
        core.vocabulary.extend(&mut self.node.clone(), added, &mut self.last);
        &self.last[..pretoken.len()]
    }
}

/// Goes through the tokens that may lie across the end of a text.
#[derive(Debug)]
pub struct Search<'a> {
    core: &'a Core,
    unstable: &'a [u8],
    overlaps: Overlaps<'a>,
    beginning: Beginning,
    single: Vec<u32>,
    several: FxHashSet<Vec<u32>>,
    /// The text at hand, its ends of pretokens, and the ids that cover the unstable text.
    text: Vec<u8>,
    ends: Ends,
    ids: Vec<u32>,
    /// The ids before those: often the same.
    previous: Vec<u32>,
    last: Vec<u32>,
}

impl<'a> Search<'a> {
    fn new(core: &'a Core, unstable: &'a str) -> Self {
        let text = unstable.as_bytes();
        let mut ends = Ends::default();
        let mut overlaps = Overlaps::new(&core.vocabulary, text);
        let single = overlaps.take_whole();
        let mut search = Self {
            core,
            unstable: text,
            overlaps,
            beginning: Beginning::new(core, text, &mut ends),
            single,
            several: FxHashSet::default(),
            text: text.to_vec(),
            ends,
            ids: Vec::new(),
            previous: Vec::new(),
            last: Vec::new(),
        };
        search.cut_blank(unstable);
        search
    }

    /// A blank at the end may become a pretoken of its own.
    fn cut_blank(&mut self, unstable: &str) {
        let last = unstable.chars().next_back().filter(|last| last.is_whitespace());
        let Some(last) = last.filter(|last| last.len_utf8() < unstable.len()) else { return };
        let (before, blank) = self.unstable.split_at(unstable.len() - last.len_utf8());
        let (mut merge, mut ids) = (MergeScratch::default(), Vec::new());
        self.core.vocabulary.merge_rest(before, &mut merge, &mut ids);
        self.core.vocabulary.merge_rest(blank, &mut merge, &mut ids);
        self.several.insert(ids);
    }

    /// Go on until about `n_bytes` of text are encoded; true if that was all.
    pub fn advance(&mut self, n_bytes: usize) -> bool {
        let mut n_done = 0;
        while n_done < n_bytes {
            let Some(rest) = self.overlaps.next() else { return true };
            self.text.truncate(self.unstable.len());
            self.text.extend_from_slice(rest);
            self.ids.clear();
            if std::str::from_utf8(rest).is_ok() {
                self.encode();
            } else {
                self.merge();
            }
            // A single id is among those of entries that begin with all of the text.
            if self.ids.len() > 1 && self.ids != self.previous {
                if !self.several.contains(&self.ids) {
                    self.several.insert(self.ids.clone());
                }
                std::mem::swap(&mut self.ids, &mut self.previous);
            }
            n_done += self.text.len();
        }
        false
    }

    /// Ids of the text at hand, until the unstable text is covered.
    fn encode(&mut self) {
        let Self { core, beginning, text, ends, ids, last, .. } = self;
        let vocabulary = &core.vocabulary;
        let n_unstable = self.unstable.len();
        ids.extend_from_slice(&beginning.ids);
        let mut scan = beginning.scan.clone();
        let mut begin = beginning.begin;
        let mut is_done = false;
        while !is_done {
            ends.clear();
            is_done = scan.finish(&core.automaton, text, 0, begin as u64, ends);
            for &end in ends.as_slice() {
                if begin >= n_unstable {
                    return;
                }
                let pretoken = &text[begin..end];
                let n_wanted = n_unstable - begin;
                if let Some(id) = vocabulary.whole_piece(pretoken) {
                    ids.push(id);
                } else if begin > beginning.begin {
                    last.clear();
                    vocabulary.extend(&mut 0, pretoken, last);
                    vocabulary.emit(vocabulary.covering(last, n_wanted), ids);
                } else {
                    let last = beginning.go_on(core, pretoken, n_wanted);
                    vocabulary.emit(vocabulary.covering(last, n_wanted), ids);
                }
                begin = end;
            }
        }
    }

    /// The same for a text that is not UTF-8: it is one pretoken.
    fn merge(&mut self) {
        let Self { core, text, ids, last, .. } = self;
        let vocabulary = &core.vocabulary;
        last.clear();
        vocabulary.extend(&mut 0, text, last);
        vocabulary.emit(vocabulary.covering(last, self.unstable.len()), ids);
    }
}

/// What a search found, in increasing order.
#[derive(Debug)]
pub struct Completions {
    /// Ids that cover the text by themselves.
    pub single: Vec<u32>,
    /// Sequences of several.
    pub several: Vec<Vec<u32>>,
}

impl From<Search<'_>> for Completions {
    fn from(search: Search<'_>) -> Self {
        let Search { mut single, several, .. } = search;
        single.sort_unstable();
        let mut several: Vec<Vec<u32>> = several.into_iter().collect();
        several.sort_unstable();
        Self { single, several }
    }
}
