//! Text that is one pretoken, taken apart where a token ends for certain.
//!
//! In: text of any length, as it comes. What lies between its first and its last seam is encoded at
//! once, part by part, like pretokens; what lies before and behind goes the way of text that grows.
//! Held back: nothing here.

use crate::scratch::Scratch;
use crate::tokens::Links;

/// Shorter text is not taken apart, unless a token ends right before it.
const MIN_BYTES: usize = 48;
/// No more than this is held.
const MAX_HELD: usize = 256;
/// Seams are looked for in so many bytes at a time.
const BLOCK: usize = 1 << 14;

/// Takes the parts of a text.
pub(super) trait Parted {
    /// Buffers of this call.
    fn scratch(&mut self) -> &mut Scratch;

    /// Does a token end for certain before the next text, with nothing pending?
    fn is_closed(&self) -> bool;

    /// More text, which may end anywhere.
    fn grow(&mut self, text: &[u8]);

    /// The last text of a step, short, which begins where a token ends.
    fn hold(&mut self, text: &[u8]) {
        self.grow(text);
    }

    /// A token ends behind the text so far: let all its ids be out. False if that cannot be; then
    /// nothing has changed.
    fn close(&mut self) -> bool;

    /// Encode the parts of `text` that end at `ends`, the first of which begins at `begin`, where
    /// the text so far ends; a token ends there, and at every end.
    fn encode(&mut self, text: &[u8], begin: usize, ends: &[usize]);
}

/// Take `text`, whole characters. Cost: O(bytes), however long it has no seam.
pub(super) fn take(links: &Links, text: &[u8], way: &mut impl Parted) {
    let mut at = 0;
    let mut is_closed = way.is_closed();
    let mut seams = std::mem::take(&mut way.scratch().seams);
    let mut end = if is_closed && text.len() <= MAX_HELD { text.len() } else { 0 };
    while end < text.len() && (is_closed || text.len() - at >= MIN_BYTES) {
        end = text.len().min(at + BLOCK);
        while end < text.len() && text[end] & 0xC0 == 0x80 {
            end += 1;
        }
        seams.clear();
        links.seams(&text[at..end], at, &mut seams);
        let Some((&first, others)) = seams.split_first() else {
            if is_closed && end - at <= MAX_HELD {
                break;
            }
            way.grow(&text[at..end]);
            (at, is_closed) = (end, false);
            continue;
        };
        let mut ends = seams.as_slice();
        if !is_closed {
            way.grow(&text[at..first]);
            at = first;
            if !way.close() {
                break;
            }
            (is_closed, ends) = (true, others);
        }
        if let Some(&last) = ends.last() {
            way.encode(text, at, ends);
            at = last;
        }
    }
    way.scratch().seams = seams;
    let rest = &text[at..];
    if is_closed && rest.len() <= MAX_HELD {
        way.hold(rest);
    } else if !rest.is_empty() {
        way.grow(rest);
    }
}
