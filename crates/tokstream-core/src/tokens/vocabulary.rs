//! A vocabulary ready for merging: token bytes, ids, and the tables derived from them.

use crate::error::TableError;
use crate::prepared::{Reader, Writer};

use super::automaton::SuffixAutomaton;
use super::canonical::{self, Rules};
use super::entries::Entries;
use super::extensions::{Extensions, Prefixed};
use super::links::Links;
use super::merge::Forest;
use super::seams::Seams;
use super::singles::Singles;

/// Token bytes in merge-rank order, and their ids.
#[derive(Clone, Debug, Default)]
pub struct TokenTable {
    blob: Vec<u8>,
    ends: Vec<u32>,
    ids: Vec<u32>,
}

impl TokenTable {
    /// `blob` is the tokens' bytes one after another, `lengths` and `ids` one number per token.
    pub fn new(blob: Vec<u8>, lengths: &[u32], ids: Vec<u32>) -> Result<Self, TableError> {
        let mut ends = Vec::with_capacity(lengths.len());
        let mut end = 0_u64;
        for &length in lengths {
            end += u64::from(length);
            ends.push(end as u32);
        }
        if lengths.len() != ids.len() || end != blob.len() as u64 || end > u64::from(u32::MAX) {
            return Err(TableError(format!(
                "{} lengths with sum {end} do not fit {} ids and {} bytes",
                lengths.len(),
                ids.len(),
                blob.len()
            )));
        }
        if let Some(k) = lengths.iter().position(|&n| n == 0 || n > u32::from(u16::MAX)) {
            return Err(TableError(format!(
                "token {} (id {}) has {} bytes; 1 to 65535 are possible",
                k, ids[k], lengths[k]
            )));
        }
        Ok(Self { blob, ends, ids })
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Is there no token at all?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// The same tokens in another order.
    fn permuted(&self, order: &[u32]) -> Self {
        let mut table = Self::default();
        for &rank in order {
            table.blob.extend_from_slice(self.bytes(rank));
            table.ends.push(table.blob.len() as u32);
            table.ids.push(self.id(rank));
        }
        table
    }

    /// Bytes of the token of merge rank `rank`.
    #[must_use]
    pub fn bytes(&self, rank: u32) -> &[u8] {
        let begin = if rank == 0 { 0 } else { self.ends[rank as usize - 1] };
        &self.blob[begin as usize..self.ends[rank as usize] as usize]
    }

    /// Id of the token of merge rank `rank`.
    #[must_use]
    pub fn id(&self, rank: u32) -> u32 {
        self.ids[rank as usize]
    }
}

/// Everything that merging needs, in flat tables.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    pub(crate) forest: Forest,
    pub(crate) automaton: SuffixAutomaton,
    /// Entries that Merge never produces, sorted by bytes. A whole pretoken that equals one is
    /// that token all the same, as in tiktoken.
    pub(super) unreachable: Entries,
    /// Of those and of the others, short ones by their bytes.
    pub(crate) singles: Singles,
    pub(crate) extensions: Extensions,
    pub(crate) seams: Seams,
    /// Unless a pretoken may be a token that Merge does not produce.
    pub(crate) links: Option<Links>,
    longest: usize,
}

impl Vocabulary {
    /// Derive and check all tables. Cost: O(total token bytes · log), a fraction of a second for
    /// 200,000 tokens.
    pub fn new(tokens: &TokenTable) -> Result<Self, TableError> {
        let rules = canonical::rules(tokens)?;
        match rules.order() {
            Some(order) => Self::build(&tokens.permuted(&order), &rules.permuted(&order)),
            None => Self::build(tokens, &rules),
        }
    }

    /// The same for tokens in canonical order whose rules are known: left part, right part, first
    /// token of the level.
    pub fn with_rules(tokens: &TokenTable, rules: &[[u32; 3]]) -> Result<Self, TableError> {
        Self::build(tokens, &Rules::given(tokens, rules)?)
    }

    fn build(tokens: &TokenTable, rules: &Rules) -> Result<Self, TableError> {
        let mut unreachable: Vec<(&[u8], u32)> = (0..tokens.len() as u32)
            .filter(|&rank| !rules.is_reachable(rank))
            .map(|rank| (tokens.bytes(rank), tokens.id(rank)))
            .collect();
        unreachable.sort_unstable();
        let all = (0..tokens.len() as u32).map(|rank| (tokens.bytes(rank), tokens.id(rank)));
        let singles = Singles::new(all);
        let (mut forest, numbers) = Forest::new(tokens, rules);
        let mut sorted: Vec<u32> =
            (0..tokens.len() as u32).filter(|&rank| rules.is_reachable(rank)).collect();
        sorted.sort_unstable_by(|&a, &b| tokens.bytes(a).cmp(tokens.bytes(b)));
        let (automaton, next) = SuffixAutomaton::new(tokens, &sorted, &numbers)?;
        forest.link_suffixes(&next);
        let longest = sorted.iter().map(|&rank| tokens.bytes(rank).len()).max().unwrap_or(0);
        let seams = Seams::new(tokens, &sorted);
        let seams = seams.with_whole_pieces(unreachable.iter().map(|&(bytes, _)| bytes));
        let links = unreachable.is_empty().then(|| Links::new(tokens, &sorted));
        for token in &mut sorted {
            *token = numbers[*token as usize];
        }
        let extensions = Extensions::new(sorted, &forest);
        let unreachable = unreachable.into_iter().collect();
        Ok(Self { forest, automaton, unreachable, singles, extensions, seams, links, longest })
    }

    /// Put all tables into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        self.forest.write(writer);
        self.automaton.write(writer);
        self.extensions.write(writer);
        writer.put(std::slice::from_ref(&self.longest));
        self.unreachable.write(writer);
        self.singles.write(writer);
        self.seams.write(writer);
        writer.put_option(self.links.as_ref(), Links::write);
    }

    /// Take them back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        Ok(Self {
            forest: Forest::read(reader)?,
            automaton: SuffixAutomaton::read(reader)?,
            extensions: Extensions::read(reader)?,
            longest: reader.take_array::<usize, 1>()?[0],
            unreachable: Entries::read(reader)?,
            singles: Singles::read(reader)?,
            seams: Seams::read(reader)?,
            links: reader.take_option(Links::read)?,
        })
    }

    /// Entries that Merge never produces and that are not among the tokens it is derived from:
    /// (bytes, id) of whole pretokens that are one token all the same.
    pub fn add_whole_pieces(&mut self, pieces: &[(Box<[u8]>, u32)]) {
        if pieces.is_empty() {
            return;
        }
        let pieces = pieces.iter().map(|(bytes, id)| (&**bytes, *id));
        let mut all: Vec<(&[u8], u32)> = self.unreachable.iter().chain(pieces).collect();
        all.sort_unstable();
        self.unreachable = all.into_iter().collect();
        self.singles = self.singles.with(self.unreachable.iter());
        self.seams = self.seams.with_whole_pieces(self.unreachable.iter().map(|(bytes, _)| bytes));
        if self.has_whole_pieces() {
            self.links = None;
        }
    }

    /// Bytes of the longest token that Merge produces.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.longest
    }

    /// Ids of entries that Merge never produces.
    pub fn unreachable_ids(&self) -> impl Iterator<Item = u32> + '_ {
        self.unreachable.ids().iter().copied()
    }

    /// Every id with the bytes it stands for.
    pub(crate) fn lengths(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        let whole = self.unreachable.iter().map(|(bytes, id)| (id, bytes.len()));
        whole.chain(self.forest.lengths())
    }

    /// The id of a whole pretoken that is an entry Merge would not produce.
    pub(crate) fn whole_piece(&self, piece: &[u8]) -> Option<u32> {
        if !self.has_whole_pieces() {
            return None;
        }
        let (index, is_found) = self.unreachable.search(piece);
        is_found.then(|| self.unreachable.ids()[index])
    }

    /// Are there such entries?
    pub(crate) fn has_whole_pieces(&self) -> bool {
        !self.unreachable.ids().is_empty()
    }

    /// The last boundary of `text`, part of one pretoken, that no token spans, if one was found.
    pub(crate) fn last_seam(&self, text: &[u8]) -> Option<usize> {
        self.seams.last(text)
    }

    /// May a pretoken that begins with `prefix` still turn out to be such an entry?
    pub(crate) fn may_become_whole_piece(&self, prefix: &[u8]) -> bool {
        let (after, _) = self.unreachable.search(prefix);
        after < self.unreachable.ids().len() && self.unreachable.bytes(after).starts_with(prefix)
    }

    /// The tokens that begin with the string of `node`, a suffix of `text`.
    pub(super) fn beginning_with<'a>(&'a self, node: u32, text: &'a [u8]) -> Prefixed<'a> {
        let Self { automaton, extensions, forest, .. } = self;
        let prefix = &text[text.len() - automaton.depth(node)..];
        extensions.beginning_with(forest, prefix, automaton.first(node))
    }

    /// Id of the entry with exactly these bytes.
    #[must_use]
    pub fn id_of(&self, bytes: &[u8]) -> Option<u32> {
        let found = self.extensions.find(&self.forest, bytes);
        found.map(|token| self.forest.id(token)).or_else(|| self.whole_piece(bytes))
    }
}
