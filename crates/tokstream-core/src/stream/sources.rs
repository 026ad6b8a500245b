//! Where text that waits came from.

use std::collections::VecDeque;

/// Parts of a text in order: bytes of text, bytes of source. Parts of equal lengths may be cut
/// anywhere; of others, all source belongs to the first bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    parts: VecDeque<(usize, usize)>,
}

impl Sources {
    /// Text of `n_text` bytes follows, which came from `n_source` bytes.
    pub(super) fn push(&mut self, n_text: usize, n_source: usize) {
        match self.parts.back_mut() {
            Some((text, source)) if *text == *source && n_text == n_source => {
                *text += n_text;
                *source += n_source;
            }
            _ if n_text == 0 && n_source == 0 => {}
            _ => self.parts.push_back((n_text, n_source)),
        }
    }

    /// Give the parts of the next `n_text` bytes of text, and source without text before them.
    pub(super) fn take(&mut self, n_text: usize, give: &mut dyn FnMut(usize, usize)) {
        let mut left = n_text;
        while left > 0 {
            let Some((text, source)) = self.parts.front_mut() else { return };
            if *text <= left {
                left -= *text;
                give(*text, *source);
                self.parts.pop_front();
                continue;
            }
            let taken = if *text == *source { left } else { *source };
            give(left, taken);
            *text -= left;
            *source -= taken;
            left = 0;
        }
    }

    /// Bytes of source that wait.
    pub(super) fn n_source(&self) -> usize {
        self.parts.iter().map(|(_, source)| source).sum()
    }

    /// Bytes of source that are left, without text.
    pub(super) fn take_rest(&mut self) -> usize {
        self.parts.drain(..).map(|(_, source)| source).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_where_text_is() {
        let mut sources = Sources::default();
        for (n_text, n_source) in [(3, 3), (2, 2), (0, 4), (3, 1), (0, 2)] {
            sources.push(n_text, n_source);
        }
        let mut taken = Vec::new();
        for n in [4, 2, 2] {
            sources.take(n, &mut |n_text, n_source| taken.push((n_text, n_source)));
        }
        assert_eq!(taken, [(4, 4), (1, 1), (0, 4), (1, 1), (2, 0)]);
        assert_eq!(sources.take_rest(), 2);
    }
}
