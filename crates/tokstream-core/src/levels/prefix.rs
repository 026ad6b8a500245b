//! A space in front of pieces that do not begin with one. Nothing is held back.

use super::{FROM_NEXT, Sink};

/// Has the current piece begun?
#[derive(Clone, Debug, Default)]
pub(crate) struct PrefixState(bool);

impl PrefixState {
    pub(crate) fn push(&mut self, text: &[u8], n_source: usize, sink: &mut impl Sink) {
        if let Some(&first) = text.first()
            && !std::mem::replace(&mut self.0, true)
            && first != b' '
        {
            sink.text(b" ", FROM_NEXT);
        }
        sink.text(text, n_source);
    }

    pub(crate) fn finish(&mut self, sink: &mut impl Sink) {
        if std::mem::take(&mut self.0) {
            sink.end();
        }
    }
}
