//! The tables of one tokenizer: immutable, shared between threads and streams.

use std::collections::HashSet;
use std::io;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use rustc_hash::FxHashMap;

use crate::error::TableError;
use crate::levels::{Level, Levels, Scheme};
use crate::normalize::{Normalizer, Step};
use crate::once::get_or_make;
use crate::prepared::{self, Prepared, Writer};
use crate::pretokens::{Automaton, CertainCuts};
use crate::segments::{AddedToken, Mark, MarkSet, Passes, SpecialSet, overlap};
use crate::spec::{Drops, Markers, Spec};
use crate::tokens::entries::Entries;
use crate::tokens::{Expansions, Filter, Links, MergeScratch, Spaces, TokenTable, Vocabulary};

static NEXT_IDENTITY: AtomicU64 = AtomicU64::new(1);

/// A pattern, a vocabulary, and what decoding needs.
#[derive(Debug)]
pub struct Core {
    pub(crate) automaton: Automaton,
    pub(crate) vocabulary: Vocabulary,
    /// Distinguishes the ids in shared caches.
    pub(crate) identity: u64,
    /// What internal ids stand for.
    pub(crate) expansions: Expansions,
    /// Which units are left out.
    pub(crate) filter: Option<Filter>,
    pub(crate) markers: Markers,
    /// Ids before and behind a text.
    pub(crate) template: (Vec<u32>, Vec<u32>),
    pub(crate) normalizer: Normalizer,
    pub(crate) levels: Levels,
    /// The text between added tokens is one pretoken.
    is_single: bool,
    /// What spaces become, if the normalizer does not do more.
    spaces: Option<Spaces>,
    /// Bytes of text that internal ids stand for; made when offsets are asked for.
    lengths: OnceLock<FxHashMap<u32, u32>>,
    /// Made when a text is encoded on several threads.
    certain_cuts: OnceLock<CertainCuts>,
    added: Vec<AddedToken>,
    /// Added tokens have conditions, or are not all found in one pass.
    has_passes: bool,
    keeps_added: bool,
    /// Ordered by id: every token, special ones included.
    entries: Entries,
}

impl Core {
    /// Check and derive all tables; `specials` are (text, id).
    pub fn new(
        tokens: &TokenTable,
        specials: &[(String, u32)],
        automaton: Automaton,
    ) -> Result<Self, TableError> {
        Self::with_spec(tokens, specials, Some(automaton), Spec::default())
    }

    /// The same with what `spec` says; without an automaton the text between added tokens is one
    /// pretoken, unless `spec` has levels.
    pub fn with_spec(
        tokens: &TokenTable,
        specials: &[(String, u32)],
        automaton: Option<Automaton>,
        spec: Spec,
    ) -> Result<Self, TableError> {
        let mut vocabulary = match &spec.rules {
            Some(rules) => Vocabulary::with_rules(tokens, rules)?,
            None => Vocabulary::new(tokens)?,
        };
        let expansions = Expansions::new(&spec.expansions, spec.fused);
        let is_given_out = |id: u32| expansions.ids_of(id).is_none();
        let mut entries: Vec<(u32, &[u8])> = (0..tokens.len() as u32)
            .map(|rank| (tokens.id(rank), tokens.bytes(rank)))
            .filter(|&(id, _)| is_given_out(id))
            .chain(spec.decode_only.iter().map(|(bytes, id)| (*id, &**bytes)))
            .chain(spec.whole_pieces.iter().map(|(bytes, id)| (*id, &**bytes)))
            .chain(specials.iter().map(|(name, id)| (*id, name.as_bytes())))
            .chain(spec.added.iter().map(|token| (token.id, token.content.as_bytes())))
            .collect();
        if let Some((id, token)) = entries.iter().find(|&&(id, _)| !is_given_out(id)) {
            let token = String::from_utf8_lossy(token);
            return Err(TableError(format!(
                "the token {token:?} has the id {id}, which stands for an entry that is written \
                 as other ids; give one of the two another id"
            )));
        }
        // Two special tokens may share an id; the first is what it decodes to.
        entries.sort_by_key(|&(id, _)| id);
        entries.dedup_by_key(|&mut (id, _)| id);
        let known = || {
            (0..tokens.len() as u32)
                .filter(|&rank| is_given_out(tokens.id(rank)))
                .map(|rank| tokens.bytes(rank))
        };
        let filter = match spec.drops {
            None => None,
            Some(Drops::Bytes) if known().filter(|bytes| bytes.len() == 1).count() == 256 => None,
            Some(_) if !spec.whole_pieces.is_empty() => {
                return Err(TableError(
                    "characters that are left out, together with pretokens that are one token \
                     although merging does not make it (ignore_merges), are not supported"
                        .into(),
                ));
            }
            Some(drops) => Some(Filter::new(known().map(Into::into), drops == Drops::Characters)),
        };
        vocabulary.add_whole_pieces(&spec.whole_pieces);
        let entries = entries.into_iter().map(|(id, bytes)| (bytes, id)).collect();
        Self::join(vocabulary, entries, filter, expansions, automaton, spec)
    }

    /// A level that only writes spaces as signs, and puts one first, is a normalizer as well, if
    /// nothing is looked for in between; then text goes a simpler way.
    fn simplify(spec: &mut Spec) {
        let [Level::Metaspace(metaspace)] = spec.levels.as_slice() else { return };
        let is_looked_for = spec.added.iter().any(|token| token.is_normalized);
        if metaspace.split || !spec.normalizer.is_empty() || is_looked_for {
            return;
        }
        let sign = metaspace.replacement.to_string();
        let Ok(replace) = Step::replace(" ", &sign) else { return };
        let mut steps = vec![replace];
        if metaspace.scheme != Scheme::Never {
            steps.push(Step::prepend_unless(&sign, metaspace.scheme == Scheme::First));
        }
        (spec.normalizer, spec.levels) = (Normalizer::new(steps), Levels::default());
    }

    /// Join tables and what `spec` says beside them.
    fn join(
        vocabulary: Vocabulary,
        entries: Entries,
        filter: Option<Filter>,
        expansions: Expansions,
        automaton: Option<Automaton>,
        mut spec: Spec,
    ) -> Result<Self, TableError> {
        let has_normalizer = !spec.normalizer.is_empty();
        Self::simplify(&mut spec);
        let core = Self {
            is_single: automaton.is_none(),
            spaces: spec.normalizer.spaces(),
            automaton: automaton.unwrap_or_else(Automaton::endless),
            vocabulary,
            filter,
            markers: spec.markers,
            template: spec.template,
            keeps_added: spec.keeps_added,
            lengths: OnceLock::new(),
            certain_cuts: OnceLock::new(),
            has_passes: overlap::needs_passes(&spec.added, has_normalizer),
            normalizer: spec.normalizer,
            levels: spec.levels,
            added: spec.added,
            expansions,
            identity: NEXT_IDENTITY.fetch_add(1, Ordering::Relaxed),
            entries,
        };
        core.spellings()?;
        Ok(core)
    }

    /// The same tokenizer with other special tokens: `dropped` are the ids of its own, `specials`
    /// are (text, id). For tokenizers of ranks, where a `SpecialSet` alone says which special tokens
    /// a text may have: tables are shared, and so are caches of ids. Cost: O(tokens), for the list
    /// that decoding reads.
    #[must_use]
    pub fn with_specials(&self, dropped: &HashSet<u32>, specials: &[(String, u32)]) -> Self {
        let mut entries: Vec<(&[u8], u32)> = self
            .entries
            .iter()
            .filter(|(_, id)| !dropped.contains(id))
            .chain(specials.iter().map(|(name, id)| (name.as_bytes(), *id)))
            .collect();
        // Two special tokens may share an id; the first is what it decodes to.
        entries.sort_by_key(|&(_, id)| id);
        entries.dedup_by_key(|&mut (_, id)| id);
        Self {
            is_single: self.is_single,
            spaces: self.spaces,
            automaton: self.automaton.clone(),
            vocabulary: self.vocabulary.clone(),
            filter: self.filter.clone(),
            markers: self.markers,
            template: self.template.clone(),
            keeps_added: self.keeps_added,
            lengths: OnceLock::new(),
            certain_cuts: OnceLock::new(),
            has_passes: false,
            normalizer: self.normalizer.clone(),
            levels: self.levels.clone(),
            added: Vec::new(),
            expansions: self.expansions.clone(),
            identity: self.identity,
            entries: entries.into_iter().collect(),
        }
    }

    /// Write the tables into the new file `path`, with `extras` of the caller before them.
    ///
    /// # Errors
    /// If the file is there already, or cannot be written; it may be there in part then.
    pub fn write(&self, path: &Path, extras: &[&[u8]]) -> io::Result<()> {
        self.write_to(&mut prepared::create(path)?, extras)
    }

    /// The same to `out`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_to(&self, out: &mut dyn io::Write, extras: &[&[u8]]) -> io::Result<()> {
        let known: Option<Entries> =
            self.filter.as_ref().map(|filter| filter.known().map(|unit| (unit, 0)).collect());
        let mut writer = Writer::new(extras);
        self.vocabulary.write(&mut writer);
        self.entries.write(&mut writer);
        writer.put_option(known.as_ref(), Entries::write);
        writer.write(out)
    }

    /// Take the tables from `prepared`; `automaton` and `spec` as they were given when they were
    /// made, but without `rules`, `whole_pieces` and `decode_only`, which are in the tables.
    ///
    /// # Errors
    /// If sections are missing, or do not fit together.
    pub fn read(
        prepared: &Prepared,
        automaton: Option<Automaton>,
        spec: Spec,
    ) -> Result<Self, TableError> {
        let mut reader = prepared.reader();
        let vocabulary = Vocabulary::read(&mut reader)?;
        let entries = Entries::read(&mut reader)?;
        let known = reader.take_option(Entries::read)?;
        let filter = known.map(|known| {
            let units = known.iter().map(|(unit, _)| unit.into());
            Filter::new(units, spec.drops == Some(Drops::Characters))
        });
        let expansions = Expansions::new(&spec.expansions, spec.fused);
        Self::join(vocabulary, entries, filter, expansions, automaton, spec)
    }

    /// May one text be cut so that its parts are encoded by themselves? Not if what a part becomes
    /// may depend on text far before it.
    #[must_use]
    pub fn can_cut(&self) -> bool {
        let is_scanned = !self.cuts_pieces() && !self.has_passes && self.expansions.is_empty();
        is_scanned && self.normalizer.has_only_forms() || self.links_of_source().is_some()
    }

    /// Does text go the general way, rather than from segments straight to a pattern?
    pub(crate) fn is_general(&self) -> bool {
        self.cuts_pieces()
            || self.has_passes
            || !self.expansions.is_empty()
            || !self.normalizer.is_empty()
    }

    /// Are pretokens looked at one by one, rather than scanned?
    pub(crate) fn cuts_pieces(&self) -> bool {
        !self.levels.as_slice().is_empty()
            || self.expansions.are_fused()
            || self.filter.is_some()
            || self.markers != Markers::default()
    }

    /// Where text between added tokens can be taken apart, if it is one pretoken.
    pub(crate) fn links(&self) -> Option<&Links> {
        self.vocabulary.links.as_ref().filter(|_| self.is_single && !self.cuts_pieces())
    }

    /// The same for text that is not normalized yet, and how spaces are read then.
    pub(crate) fn links_of_source(&self) -> Option<(&Links, Spaces)> {
        self.links().zip(self.spaces)
    }

    /// The set of added tokens of which `allowed` says whether a special one is honoured; the
    /// strings `forbidden` are an error.
    pub fn special_set(
        &self,
        allowed: &dyn Fn(&str) -> bool,
        forbidden: &[String],
    ) -> Result<SpecialSet, TableError> {
        let is_honoured = |token: &AddedToken| !token.is_special || allowed(&token.content);
        if !self.has_passes {
            let honoured: Vec<(String, u32)> = self
                .added
                .iter()
                .filter(|token| is_honoured(token))
                .map(|token| (token.content.clone(), token.id))
                .collect();
            return SpecialSet::new(&honoured, forbidden);
        }
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for (token, content) in self.added.iter().zip(self.spellings()?) {
            let marks = if token.is_normalized { &mut second } else { &mut first };
            marks.push(Mark {
                content,
                id: is_honoured(token).then_some(token.id),
                strips_left: token.strips_left,
                strips_right: token.strips_right,
                is_single_word: token.is_single_word,
            });
        }
        let passes = Passes { first: MarkSet::new(first)?, second: MarkSet::new(second)? };
        SpecialSet::with_passes(passes, forbidden)
    }

    /// What is looked for, of each added token.
    fn spellings(&self) -> Result<Vec<Vec<u8>>, TableError> {
        let mut known = [FxHashMap::default(), FxHashMap::default()];
        let mut spellings = Vec::with_capacity(self.added.len());
        for token in &self.added {
            let name = &token.content;
            let spelling = if token.is_normalized && !self.keeps_added {
                self.normalized(name)
            } else {
                name.clone().into_bytes()
            };
            if spelling.is_empty() {
                return Err(TableError(format!(
                    "the added token {name:?} is empty once it is normalized: it would be found \
                     everywhere, which is not supported"
                )));
            }
            let known = &mut known[usize::from(token.is_normalized)];
            if let Some(other) = known.insert(spelling.clone(), name) {
                return Err(TableError(format!(
                    "the added tokens {other:?} and {name:?} are the same once they are \
                     normalized, and the reference finds one of them by chance"
                )));
            }
            spellings.push(spelling);
        }
        Ok(spellings)
    }

    /// `text` normalized by itself.
    fn normalized(&self, text: &str) -> Vec<u8> {
        let mut normalized = Vec::new();
        let mut state = self.normalizer.begin();
        let mut sink = |part: &[u8], _: usize| normalized.extend_from_slice(part);
        state.push(text.as_bytes(), &mut sink);
        state.finish(&mut sink);
        normalized
    }

    /// Bytes of the token `id`, special tokens included. Cost: O(1) where ids are dense.
    #[must_use]
    pub fn token_bytes(&self, id: u32) -> Option<&[u8]> {
        let guess = id as usize;
        let ids = self.entries.ids();
        let index =
            if ids.get(guess) == Some(&id) { guess } else { ids.binary_search(&id).ok()? };
        Some(self.entries.bytes(index))
    }

    /// Number of tokens, special ones included.
    #[must_use]
    pub fn n_tokens(&self) -> usize {
        self.entries.ids().len()
    }

    /// Ids before and behind a text.
    #[must_use]
    pub fn template(&self) -> (&[u32], &[u32]) {
        (&self.template.0, &self.template.1)
    }

    /// Id of the entry with exactly these bytes.
    #[must_use]
    pub fn token_id(&self, bytes: &[u8]) -> Option<u32> {
        self.vocabulary.id_of(bytes).filter(|&id| self.expansions.ids_of(id).is_none())
    }

    /// Ids of `piece`, any bytes, merged as one pretoken; with `as_whole` an entry that merging does
    /// not produce is its token, as it is for a pretoken of a text. Cost: O(length).
    #[must_use]
    pub fn merge(&self, piece: &[u8], as_whole: bool) -> Vec<u32> {
        let (mut ids, mut scratch) = (Vec::new(), MergeScratch::default());
        if as_whole {
            self.vocabulary.merge(piece, &mut scratch, &mut ids);
        } else {
            self.vocabulary.merge_rest(piece, &mut scratch, &mut ids);
        }
        ids
    }

    /// Where the pattern ends pretokens whatever came before. Cost: O(states · classes²) the first
    /// time.
    pub(crate) fn certain_cuts(&self) -> &CertainCuts {
        get_or_make(&self.certain_cuts, || CertainCuts::new(&self.automaton))
    }

    /// Bytes of text that the internal id stands for. Cost: O(tokens) the first time.
    pub(crate) fn length_of(&self, id: u32) -> usize {
        let lengths = get_or_make(&self.lengths, || {
            let lengths = self.vocabulary.lengths();
            lengths.map(|(id, length)| (id, length as u32)).collect()
        });
        lengths.get(&id).map_or(0, |&length| length as usize)
    }

    /// How the pattern reads text, as the environment names it.
    #[must_use]
    pub fn reads_by(&self) -> &'static str {
        self.automaton.path().name()
    }

    /// If a text between added tokens is one pretoken that is taken apart where no token spans: as
    /// the source has it, before it is normalized (true), or behind that (false).
    #[must_use]
    pub fn takes_source_apart(&self) -> Option<bool> {
        self.links().map(|_| self.links_of_source().is_some())
    }

    /// The vocabulary's tables.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }
}
