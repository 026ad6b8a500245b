//! Pieces of a fixed number of characters. Nothing is held back.

use std::num::NonZeroUsize;

use super::Sink;
use super::held::source_of;

/// Characters of the current piece so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct FixedState(usize);

impl FixedState {
    pub(crate) fn push(
        &mut self,
        length: NonZeroUsize,
        text: &[u8],
        n_source: usize,
        sink: &mut impl Sink,
    ) {
        let mut begin = 0;
        let source = |range| source_of(range, text.len(), n_source);
        for (at, &byte) in text.iter().enumerate() {
            let is_begin = byte & 0xC0 != 0x80;
            if is_begin && self.0 == length.get() {
                if begin < at {
                    sink.text(&text[begin..at], source(begin..at));
                    begin = at;
                }
                sink.end();
                self.0 = 0;
            }
            self.0 += usize::from(is_begin);
        }
        sink.text(&text[begin..], source(begin..text.len()));
    }

    pub(crate) fn finish(&mut self, sink: &mut impl Sink) {
        if std::mem::take(&mut self.0) > 0 {
            sink.end();
        }
    }
}
