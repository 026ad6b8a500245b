//! What one step gives: text, and how much of its input each part of it accounts for.
//!
//! A chain of steps composes these: a [`Trace`] remembers, for the text that a step has not
//! accounted for, where in the source it comes from.

use std::collections::VecDeque;

/// Bytes of the longest character.
const WIDEST: usize = 4;

/// A part of a text and its share of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    n_text: usize,
    n_source: usize,
}

impl Place {
    /// Byte for byte?
    fn is_run(self) -> bool {
        self.n_text == self.n_source
    }
}

/// Text in order of input, with its places.
#[derive(Clone, Debug, Default)]
pub(super) struct Mapped {
    text: String,
    places: Vec<Place>,
}

impl Mapped {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Give the next input bytes, which are `text`, as they are.
    pub(super) fn copy(&mut self, text: &str) {
        self.put(text, text.len());
    }

    /// Give `text` for the next `n_source` bytes of input: at most one character, unless `text`
    /// is as long as they are and comes from them byte for byte. `n_source` 0: for the character
    /// before.
    pub(super) fn put(&mut self, text: &str, n_source: usize) {
        self.text.push_str(text);
        self.place(Place { n_text: text.len(), n_source });
    }

    /// The same for one character.
    pub(super) fn put_char(&mut self, c: char, n_source: usize) {
        self.text.push(c);
        self.place(Place { n_text: c.len_utf8(), n_source });
    }

    /// Give nothing for the next `n_source` bytes of input.
    pub(super) fn skip(&mut self, n_source: usize) {
        self.place(Place { n_text: 0, n_source });
    }

    /// Give what was held.
    pub(super) fn append(&mut self, held: &Self) {
        self.text.push_str(&held.text);
        for &place in &held.places {
            self.place(place);
        }
    }

    /// Input bytes that it accounts for.
    pub(super) fn n_source(&self) -> usize {
        self.places.iter().map(|place| place.n_source).sum()
    }

    /// Give `text`, ASCII, lowercased.
    pub(super) fn copy_lowercase(&mut self, text: &str) {
        let begin = self.text.len();
        self.copy(text);
        self.text[begin..].make_ascii_lowercase();
    }

    fn place(&mut self, place: Place) {
        push_place(&mut self.places, place);
    }

    pub(super) fn for_each(&self, sink: &mut dyn FnMut(&[u8], usize)) {
        let mut at = 0;
        for place in &self.places {
            let end = at + place.n_text;
            sink(&self.text.as_bytes()[at..end], place.n_source);
            at = end;
        }
    }
}

/// Append, joining runs with runs and deletions with deletions.
fn push_place(places: &mut Vec<Place>, place: Place) {
    if place.n_text + place.n_source == 0 {
        return;
    }
    match places.last_mut() {
        Some(last) if (last.is_run() && place.is_run()) || last.n_text + place.n_text == 0 => {
            last.n_text += place.n_text;
            last.n_source += place.n_source;
        }
        _ => places.push(place),
    }
}

/// Places, in the source, of the text that a step has been given and has not accounted for.
///
/// The source of a character is credited to the first step output that touches it, so that no
/// source byte waits longer than it must; the rest of the character's text then has none. If that
/// output is a deletion, the source waits for the rest.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    queue: VecDeque<Place>,
    /// Source of a character whose first text was deleted and of which text is left.
    waiting: usize,
    /// Source of the last character taken; 0 if that is not known.
    last_taken: usize,
}

impl Trace {
    /// The step is given `text`.
    pub(super) fn add(&mut self, given: &Mapped) {
        for &place in &given.places {
            match self.queue.back_mut() {
                Some(last)
                    if (last.is_run() && place.is_run()) || last.n_text + place.n_text == 0 =>
                {
                    last.n_text += place.n_text;
                    last.n_source += place.n_source;
                }
                _ => self.queue.push_back(place),
            }
        }
    }

    /// `output` accounts for bytes of the text given: make it account for bytes of the source.
    /// `is_settled`: no text for the last character accounted for will follow.
    pub(super) fn resolve(&mut self, output: &mut Mapped, is_settled: bool) {
        let mut places = Vec::with_capacity(output.places.len());
        for &place in &output.places {
            if place.n_source == 0 {
                push_place(&mut places, place);
            } else if place.is_run() {
                self.take_run(place.n_text, &mut places);
            } else {
                if place.n_text > 0 {
                    self.take_deleted(&mut places);
                }
                let mut n_source = self.take(place.n_source);
                n_source += std::mem::take(&mut self.waiting);
                if place.n_text == 0 && self.queue.front().is_some_and(|place| place.n_source == 0)
                {
                    self.waiting = self.last_taken.min(n_source);
                    n_source -= self.waiting;
                }
                push_place(&mut places, Place { n_source, ..place });
            }
        }
        // What an earlier step deleted waits for nothing once the text before it is out.
        if is_settled && self.queue.len() == 1 {
            self.take_deleted(&mut places);
        }
        output.places = places;
    }

    /// Deletions come before what follows them.
    fn take_deleted(&mut self, places: &mut Vec<Place>) {
        while let Some(&place) = self.queue.front().filter(|place| place.n_text == 0) {
            push_place(places, place);
            self.queue.pop_front();
        }
    }

    /// `n` bytes of text, byte for byte.
    fn take_run(&mut self, mut n: usize, places: &mut Vec<Place>) {
        while n > 0 {
            self.take_deleted(places);
            let Some(front) = self.queue.front_mut() else { return };
            let n_text = n.min(front.n_text);
            let n_source = if front.is_run() { n_text } else { front.n_source };
            let waiting = std::mem::take(&mut self.waiting);
            push_place(places, Place { n_text, n_source: n_source + waiting });
            self.shorten(n_text, n_source);
            n -= n_text;
        }
    }

    /// `n` bytes of text; returns how much source they have.
    fn take(&mut self, mut n: usize) -> usize {
        let mut taken = 0;
        while n > 0 {
            let Some(front) = self.queue.front_mut() else { return taken };
            let n_text = n.min(front.n_text);
            let n_source = if front.is_run() { n_text } else { front.n_source };
            taken += n_source;
            if n_source > 0 {
                self.last_taken = if n_source <= WIDEST || !front.is_run() { n_source } else { 0 };
            }
            self.shorten(n_text, n_source);
            n -= n_text;
        }
        taken
    }

    fn shorten(&mut self, n_text: usize, n_source: usize) {
        if let Some(front) = self.queue.front_mut() {
            front.n_text -= n_text;
            front.n_source -= n_source;
            if front.n_text == 0 {
                self.queue.pop_front();
            }
        }
    }
}
