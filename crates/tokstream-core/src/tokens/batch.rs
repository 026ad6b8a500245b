//! Many complete pretokens at once.
//!
//! In three passes over at most some thousand pretokens: look all of them up, merge those that
//! were not found, append the ids in text order. Short loops without unforeseen branches let the
//! processor wait for several look-ups at once.

use super::merge::MergeScratch;
use super::pieces::{Found, PieceTable, Place};
use super::vocabulary::Vocabulary;

/// Pretokens whose table lines are brought near together.
const GROUP: usize = 128;

/// Buffers of a batch, kept between calls.
#[derive(Debug, Default)]
pub struct Batch {
    found: Vec<Found>,
    misses: Vec<Miss>,
    places: Vec<(Option<Place>, usize, usize)>,
    /// Ids of pretokens that have too many for a `Found`.
    spill: Vec<u32>,
    merge: MergeScratch,
}

/// A pretoken that the table does not know.
#[derive(Clone, Copy, Debug)]
struct Miss {
    index: u32,
    length: u32,
    begin: usize,
    place: Option<Place>,
}

impl Batch {
    /// Append the ids of the pretokens of `text` that end at `ends`, the first beginning at `begin`.
    pub fn encode(
        &mut self,
        vocabulary: &Vocabulary,
        table: &mut PieceTable,
        text: &[u8],
        begin: usize,
        ends: &[usize],
        out: &mut Vec<u32>,
    ) {
        self.look_up(table, text, begin, ends);
        if !self.misses.is_empty() {
            self.merge_misses(vocabulary, table, text);
        }
        out.reserve(self.found.len());
        for found in &self.found {
            match found.ids() {
                Ok([id]) => out.push(*id),
                Ok(ids) => out.extend_from_slice(ids),
                Err(spilled) => out.extend_from_slice(&self.spill[spilled]),
            }
        }
    }

    fn look_up(&mut self, table: &PieceTable, text: &[u8], begin: usize, ends: &[usize]) {
        self.found.clear();
        self.misses.clear();
        self.spill.clear();
        let mut begin = begin;
        let mut first = 0;
        for group in ends.chunks(GROUP) {
            // Reading the table here only brings its lines near: nothing waits for them yet.
            let mut near = 0;
            self.places.clear();
            for &end in group {
                let place = table.place(text, begin, end);
                near ^= table.touch(place);
                self.places.push((place, begin, end));
                begin = end;
            }
            std::hint::black_box(near);
            for (index, &(place, begin, end)) in (first..).zip(&self.places) {
                let found = place.and_then(|place| table.get(place));
                if found.is_none() {
                    self.misses.push(Miss { index, length: (end - begin) as u32, begin, place });
                }
                self.found.push(found.unwrap_or_default());
            }
            first += group.len() as u32;
        }
    }

    fn merge_misses(&mut self, vocabulary: &Vocabulary, table: &mut PieceTable, text: &[u8]) {
        let misses = std::mem::take(&mut self.misses);
        for &miss in &misses {
            // The same pretoken may have been merged since it was looked up.
            if let Some(found) = miss.place.and_then(|place| table.get(place)) {
                self.found[miss.index as usize] = found;
                continue;
            }
            let begin = self.spill.len();
            let piece = &text[miss.begin..miss.begin + miss.length as usize];
            vocabulary.merge(piece, &mut self.merge, &mut self.spill);
            self.keep(table, miss, begin);
        }
        self.misses = misses;
    }

    /// The ids of `miss` are those from `begin` on in `spill`.
    fn keep(&mut self, table: &mut PieceTable, miss: Miss, begin: usize) {
        let found = Found::new(&self.spill, begin);
        if let (Some(place), Ok(_)) = (miss.place, found.ids()) {
            table.put(place, found);
            self.spill.truncate(begin);
        }
        self.found[miss.index as usize] = found;
    }
}
