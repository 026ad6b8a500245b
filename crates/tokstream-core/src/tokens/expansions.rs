//! Internal ids → the ids that are given out, where these differ.
//!
//! A token may stand for several ids (a byte that no token has, spelled by byte tokens), for one
//! (the unknown token) or for none (all but the first byte of an unknown character).

use rustc_hash::FxHashMap;

/// What internal ids stand for. Most vocabularies need none of this.
#[derive(Clone, Debug, Default)]
pub struct Expansions {
    /// By internal id: where its ids are in `ids`.
    ranges: FxHashMap<u32, (u32, u32)>,
    ids: Vec<u32>,
    /// The least internal id that stands for something else.
    least: u32,
    /// An id that is given out once for all that follow one another in a pretoken.
    fused: Option<u32>,
}

impl Expansions {
    /// `list`: internal id, ids. `fused`: the unknown token, if several of it become one.
    #[must_use]
    pub fn new(list: &[(u32, Vec<u32>)], fused: Option<u32>) -> Self {
        let mut ranges = FxHashMap::default();
        let mut ids = Vec::new();
        for (internal, expansion) in list {
            let begin = ids.len() as u32;
            ids.extend_from_slice(expansion);
            ranges.insert(*internal, (begin, ids.len() as u32));
        }
        let fused = fused.filter(|id| ids.contains(id));
        let least = list.iter().map(|&(internal, _)| internal).min().unwrap_or(u32::MAX);
        Self { ranges, ids, least, fused }
    }

    /// Does every internal id stand for itself?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Do ids depend on the ones before them in the same pretoken?
    #[must_use]
    pub fn are_fused(&self) -> bool {
        self.fused.is_some()
    }

    /// The internal ids that stand for something else.
    pub fn internal_ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.ranges.keys().copied()
    }

    /// What `internal` stands for.
    #[must_use]
    pub fn ids_of(&self, internal: u32) -> Option<&[u32]> {
        let &(begin, end) = self.ranges.get(&internal)?;
        Some(&self.ids[begin as usize..end as usize])
    }

    /// Expand the internal ids in `out` from `begin` on; all belong to one pretoken, or nothing is
    /// fused. `follows`: the unknown token was the last one given out in this pretoken; updated.
    ///
    /// Cost: O(ids).
    pub fn expand(&self, out: &mut Vec<u32>, begin: usize, follows: &mut bool) {
        let mut begin = begin;
        if self.fused.is_none() {
            let Some(n) = out[begin..].iter().position(|&id| id >= self.least) else { return };
            begin += n;
        }
        self.expand_each(out, begin, follows, &mut |_, _| {});
    }

    /// The same; tells `each` internal id and how many ids it became.
    pub fn expand_each(
        &self,
        out: &mut Vec<u32>,
        begin: usize,
        follows: &mut bool,
        each: &mut dyn FnMut(u32, usize),
    ) {
        let internal = out.split_off(begin);
        for id in internal {
            let n_before = out.len();
            let expansion = self.ids_of(id);
            let fused = self.fused;
            let mut put = |id: u32| {
                let is_fused = Some(id) == fused;
                if !(is_fused && *follows) {
                    out.push(id);
                }
                *follows = is_fused;
            };
            match expansion {
                Some(ids) => ids.iter().copied().for_each(&mut put),
                None => put(id),
            }
            each(id, out.len() - n_before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_replaced_and_the_unknown_token_is_fused() {
        let list = [(100, vec![1, 2]), (101, vec![7]), (102, vec![])];
        let expand = |fused, internal: &[u32], mut follows| {
            let mut out = vec![9];
            out.extend_from_slice(internal);
            Expansions::new(&list, fused).expand(&mut out, 1, &mut follows);
            (out, follows)
        };
        assert_eq!(expand(None, &[3, 100, 101, 102, 101], false).0, [9, 3, 1, 2, 7, 7]);
        assert_eq!(expand(Some(7), &[101, 102, 101, 3], false), (vec![9, 7, 3], false));
        assert_eq!(expand(Some(7), &[101, 102], true), (vec![9], true));
    }
}
