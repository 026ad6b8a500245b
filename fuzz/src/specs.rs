//! Made-up tokenizers with all that a format can ask for: normalizer, levels, added tokens with
//! conditions, merge lists, unknown text, markers.
//!
//! Only what the loader accepts is made: see `levels` for the one order that it refuses.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use tokstream_core::core::Core;
use tokstream_core::levels::{Behaviour, Level, Levels, Metaspace, Scheme, Split};
use tokstream_core::normalize::{Characters, Form, Normalizer, Options, Step};
use tokstream_core::pretokens::Automaton;
use tokstream_core::segments::{AddedToken, SpecialSet};
use tokstream_core::spec::{Drops, Markers, Spec};
use tokstream_core::tokens::{
    BEGIN_MARKER, END_MARKER, HIDDEN, TokenTable, Units, canonical_order,
};

use super::input::Input;
use super::tables::Table;
use super::tokenizers;

/// What tokens, literals and replacements are made of; the last ones are of GPT-2's alphabet.
const PIECES: [&str; 20] = [
    "a", "b", "c", " ", "\n", "1", "'", "<", ">", "é", "漢", "字", "x", "\u{301}", "e", "🙂", "▁",
    "Ġ", "Ã", "©",
];
/// Texts of added tokens: they begin, contain and overlap each other, and normalizers change some.
const NAMES: [&str; 12] =
    ["<a>", "<a><b>", "ab", "abcd", "bc", "A", "漢字", "字", "<", "a b", "e\u{301}", " x"];
const FIRST_ADDED: u32 = 1_000_000;
const UNKNOWN: u32 = 900_000;
const FIRST_BYTE: u32 = 800_000;
const FIRST_HIDDEN: u32 = 2_000_000;
const TEMPLATE: (u32, u32) = (700_001, 700_002);

/// Names of steps and levels with what they are given.
type Words = Vec<String>;

/// A tokenizer, and what to say about it if it fails.
pub struct Pipeline {
    pub core: Arc<Core>,
    words: Words,
    added: Vec<AddedToken>,
    markers: Markers,
    drops: Option<Drops>,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { words, added, markers, drops, .. } = self;
        write!(f, "{words:?} {added:?} {markers:?} {drops:?}")
    }
}

impl Pipeline {
    /// The tokenizer that the input spells; `None` if the engine refuses it.
    pub fn read(input: &mut Input<'_>) -> Option<Self> {
        let mut words = Words::default();
        let mut spec = Spec {
            normalizer: Normalizer::new(steps(input, &mut words)?),
            levels: Levels::new(levels(input, &mut words)?),
            added: added(input),
            keeps_added: input.byte() & 7 == 1,
            template: (vec![TEMPLATE.0], vec![TEMPLATE.1]),
            ..Spec::default()
        };
        let automaton = match input.below(3) {
            0 => None,
            choice => Some(automaton(&tokenizers::table(input, choice == 1))?),
        };
        let table = vocabulary(input, &mut spec)?;
        let Spec { added, markers, drops, .. } = spec.clone();
        let core = Core::with_spec(&table, &[], automaton, spec).ok()?;
        Some(Self { core: Arc::new(core), words, added, markers, drops })
    }

    /// The same for a tokenizer without a pattern, whose normalizer may write spaces as signs.
    pub fn single(input: &mut Input<'_>) -> Option<Self> {
        let mut words = Words::default();
        let mut spec = Spec {
            normalizer: Normalizer::new(signs(input, &mut words)?),
            added: added(input),
            ..Spec::default()
        };
        if input.below(8) == 0 {
            let (level, name) = level(input)?;
            words.push(name);
            spec.levels = Levels::new(vec![level]);
        }
        let table = vocabulary(input, &mut spec)?;
        if input.below(8) > 0 {
            // So that few are refused, or go another way.
            spec.decode_only.append(&mut std::mem::take(&mut spec.whole_pieces));
            (spec.drops, spec.fused) = (None, None);
        }
        let Spec { added, markers, drops, .. } = spec.clone();
        let core = Core::with_spec(&table, &[], None, spec).ok()?;
        Some(Self { core: Arc::new(core), words, added, markers, drops })
    }

    /// A choice of added tokens: which special ones are honoured, and which names are an error.
    pub fn set(&self, input: &mut Input<'_>) -> Option<Arc<SpecialSet>> {
        let mut mask = || u16::from(input.byte()) | u16::from(input.byte()) << 8;
        let (allowed, forbidden) = (mask(), mask());
        let is_in = |mask: u16, name: &str| {
            NAMES.iter().zip(0..).any(|(other, k)| *other == name && mask >> k & 1 == 1)
        };
        let forbids = input.byte() >= 0xC0;
        let forbidden: Vec<String> = NAMES
            .iter()
            .filter(|name| forbids && is_in(forbidden & !allowed, name))
            .map(|name| (*name).to_owned())
            .collect();
        self.core.special_set(&|name| is_in(allowed, name), &forbidden).ok().map(Arc::new)
    }
}

fn automaton(table: &Table) -> Option<Automaton> {
    Automaton::from_bytes(&table.to_bytes()).ok()
}

/// An automaton that need not match everywhere.
fn search(input: &mut Input<'_>) -> Option<Automaton> {
    automaton(&if input.byte() & 1 == 0 {
        Table::made_up_partial(input)
    } else {
        tokenizers::table(input, true)
    })
}

fn piece(input: &mut Input<'_>) -> &'static str {
    PIECES[input.below(PIECES.len())]
}

/// Up to two pieces.
fn text(input: &mut Input<'_>) -> String {
    let choice = input.byte();
    let first = if choice & 1 == 0 { piece(input) } else { "" };
    let second = if choice & 2 == 0 { piece(input) } else { "" };
    format!("{first}{second}")
}

/// A piece of a text, or what an added token is written as.
pub fn word(input: &mut Input<'_>) -> &'static str {
    let choice = input.below(2 * PIECES.len());
    PIECES.get(choice).copied().unwrap_or_else(|| match choice % 3 {
        0 => " ",
        _ => NAMES[choice % NAMES.len()],
    })
}

/// Steps that write spaces as signs and put one first, and now and then others.
fn signs(input: &mut Input<'_>, words: &mut Words) -> Option<Vec<Step>> {
    let choice = input.byte();
    words.push(format!("signs {choice}"));
    let replace = Step::replace(" ", "▁").ok()?;
    Some(match choice % 8 {
        0 => vec![],
        1 | 2 => vec![replace],
        3 => vec![Step::prepend("▁"), replace],
        4 => vec![replace, Step::prepend_unless("▁", choice & 8 == 0)],
        5 | 6 => vec![sentencepiece(input)?.0],
        _ => {
            let mut steps = steps(input, words)?;
            steps.push(replace);
            steps
        }
    })
}

fn steps(input: &mut Input<'_>, words: &mut Words) -> Option<Vec<Step>> {
    (0..input.below(4)).map(|_| step(input, words)).collect()
}

fn step(input: &mut Input<'_>, words: &mut Words) -> Option<Step> {
    let (step, name) = match input.below(15) {
        0 => (Step::form(Form::Nfc), "nfc".into()),
        1 => (Step::form(Form::Nfd), "nfd".into()),
        2 => (Step::form(Form::Nfkc), "nfkc".into()),
        3 => (Step::form(Form::Nfkd), "nfkd".into()),
        4 => (Step::characters(Characters::Lowercase), "lowercase".into()),
        5 => (Step::characters(Characters::StripAccents), "strip accents".into()),
        6 => (Step::characters(Characters::Nmt), "nmt".into()),
        7 => (Step::characters(Characters::ByteLevel), "byte level".into()),
        8 => {
            let sides = input.byte() & 3;
            (Step::strip(sides & 1 == 0, sides & 2 == 0), format!("strip {sides}"))
        }
        9 => {
            let text = piece(input);
            (Step::prepend(text), format!("prepend {text:?}"))
        }
        10 => {
            let (text, is_first_only) = (piece(input), input.byte() & 1 == 0);
            let name = format!("prepend unless {text:?} {is_first_only}");
            (Step::prepend_unless(text, is_first_only), name)
        }
        11 => {
            let (literal, content) = (text(input), text(input));
            let name = format!("replace {literal:?} {content:?}");
            (Step::replace(&literal, &content).ok()?, name)
        }
        12 => {
            let (automaton, content) = (search(input)?, text(input));
            let name = format!("replace pattern {content:?}");
            (Step::replace_pattern(automaton, &content), name)
        }
        13 => {
            let (map, rules) = charsmap(input);
            (Step::precompiled(&map).ok()?, format!("map {rules:?}"))
        }
        _ => sentencepiece(input)?,
    };
    words.push(name);
    Some(step)
}

fn sentencepiece(input: &mut Input<'_>) -> Option<(Step, String)> {
    let flags = input.byte();
    let options = Options {
        add_dummy_prefix: flags & 1 == 0,
        remove_extra_whitespaces: flags & 2 == 0,
        escape_whitespaces: flags & 4 == 0,
        treat_whitespace_as_suffix: flags & 8 != 0,
    };
    let (map, rules) = if flags & 16 == 0 { (vec![], vec![]) } else { charsmap(input) };
    let symbols: Vec<String> = (0..input.below(3)).map(|_| text(input)).collect();
    let name = format!("sentencepiece {options:?} {rules:?} {symbols:?}");
    if symbols.iter().any(String::is_empty) {
        return None;
    }
    Some((Step::sentencepiece(&map, &symbols, options).ok()?, name))
}

/// A map of a few strings, as a double array with a block of its own per node, and their new texts.
fn charsmap(input: &mut Input<'_>) -> (Vec<u8>, Vec<(String, String)>) {
    let mut rules: Vec<(String, String)> = Vec::new();
    for _ in 0..=input.below(4) {
        let (key, content) = (text(input), text(input));
        if !key.is_empty() && rules.iter().all(|(other, _)| *other != key) {
            rules.push((key, content));
        }
    }
    let mut nodes: Vec<&[u8]> =
        rules.iter().flat_map(|(key, _)| (1..=key.len()).map(|n| &key.as_bytes()[..n])).collect();
    nodes.push(&[]);
    nodes.sort_unstable();
    nodes.dedup();
    let base = |node: &[u8]| {
        let k = nodes.binary_search(&node).expect("every beginning is a node");
        (k + 1) * 256
    };
    let mut units = vec![0_u32; (nodes.len() + 1) * 256];
    let mut contents = Vec::new();
    for node in &nodes {
        let at = node.split_last().map_or(0, |(&label, parent)| base(parent) ^ label as usize);
        let label = u32::from(node.last().copied().unwrap_or(0));
        let rule = rules.iter().find(|(key, _)| key.as_bytes() == *node);
        units[at] = label | ((at ^ base(node)) as u32) << 10 | u32::from(rule.is_some()) << 8;
        if let Some((_, content)) = rule {
            units[base(node)] = 1 << 31 | contents.len() as u32;
            contents.extend_from_slice(content.as_bytes());
            contents.push(0);
        }
    }
    let mut map = (4 * units.len() as u32).to_le_bytes().to_vec();
    map.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    map.extend(contents);
    (map, rules)
}

/// Levels; `byte_level` may end in `from_byte_level` if nothing is added between them.
fn levels(input: &mut Input<'_>, words: &mut Words) -> Option<Vec<Level>> {
    let mut levels = Vec::new();
    let (mut is_alphabet, mut adds) = (false, false);
    for _ in 0..input.below(4) {
        let (level, name) = level(input)?;
        adds |= is_alphabet && matches!(level, Level::PrefixSpace | Level::Metaspace(_));
        let is_first = |it: &Metaspace| it.scheme == Scheme::First;
        if is_alphabet && matches!(&level, Level::Metaspace(it) if is_first(it)) {
            return None; // refused: its bytes would begin where the character begins
        }
        is_alphabet |= matches!(level, Level::ByteLevel);
        levels.push(level);
        words.push(name);
    }
    if is_alphabet && !adds && input.byte() & 1 == 0 {
        levels.push(Level::FromByteLevel);
        words.push("from byte level".into());
    }
    Some(levels)
}

fn level(input: &mut Input<'_>) -> Option<(Level, String)> {
    Some(match input.below(6) {
        0 | 1 => {
            let automaton = Arc::new(search(input)?);
            let behaviour = [
                Behaviour::Removed,
                Behaviour::Isolated,
                Behaviour::MergedWithPrevious,
                Behaviour::MergedWithNext,
                Behaviour::Contiguous,
            ][input.below(5)];
            let invert = input.byte() & 1 == 1;
            let name = format!("split {behaviour:?} {invert}");
            (Level::Split(Split { automaton, behaviour, invert }), name)
        }
        2 => {
            let n = NonZeroUsize::MIN.saturating_add(input.below(4));
            (Level::FixedLength(n), format!("fixed length {n}"))
        }
        3 => (Level::PrefixSpace, "prefix space".into()),
        4 => {
            let scheme = [Scheme::Always, Scheme::First, Scheme::Never][input.below(3)];
            let flags = input.byte();
            let replacement = if flags & 1 == 0 { '▁' } else { 'b' };
            let metaspace = Metaspace { replacement, scheme, split: flags & 2 == 0 };
            let name = format!("{metaspace:?}");
            (Level::Metaspace(metaspace), name)
        }
        _ => (Level::ByteLevel, "byte level".into()),
    })
}

fn added(input: &mut Input<'_>) -> Vec<AddedToken> {
    let tokens = (FIRST_ADDED..).take(input.below(6)).map(|id| {
        let flags = input.byte();
        AddedToken {
            content: NAMES[input.below(NAMES.len())].to_owned(),
            id,
            is_special: flags & 1 == 0,
            is_normalized: flags & 2 != 0,
            strips_left: flags >> 2 & 3 == 1,
            strips_right: flags >> 4 & 3 == 1,
            is_single_word: flags >> 6 == 1,
        }
    });
    let mut tokens: Vec<AddedToken> = tokens.collect();
    tokens.dedup_by(|a, b| a.content == b.content);
    tokens
}

/// A merge list, and what becomes of text that it does not know.
fn vocabulary(input: &mut Input<'_>, spec: &mut Spec) -> Option<TokenTable> {
    let mode = input.byte();
    let units = Units {
        are_characters: mode & 1 == 0,
        have_begin: mode >> 1 & 3 == 1,
        have_end: mode >> 3 & 3 == 1,
    };
    spec.markers = Markers { has_begin: units.have_begin, has_end: units.have_end };
    let (tokens, merges) = merge_list(input, units);
    let slices: Vec<&[u8]> = tokens.iter().map(Vec::as_slice).collect();
    let order = canonical_order(&slices, &merges, units).ok()?;
    let unknown = input.byte();
    let known_id = |token: u32| 3 * token + 1;
    let mut at = 0;
    let mut ids = Vec::new();
    for (&length, &token) in order.lengths.iter().zip(&order.tokens) {
        let bytes = &order.blob[at..at + length as usize];
        at += length as usize;
        if token == HIDDEN {
            let id = FIRST_HIDDEN + spec.expansions.len() as u32;
            spec.expansions.push((id, expansion(bytes, units, unknown)));
            ids.push(id);
        } else {
            ids.push(known_id(token));
        }
    }
    let unreachable =
        order.unreachable.iter().map(|&token| (slices[token as usize].into(), known_id(token)));
    if unknown & 16 == 0 {
        spec.decode_only = unreachable.collect();
    } else {
        spec.whole_pieces = unreachable.collect();
    }
    spec.fused = (unknown & 3 == 1 && unknown & 4 == 0).then_some(UNKNOWN);
    if unknown & 3 >= 2 {
        spec.drops = Some(if units.are_characters { Drops::Characters } else { Drops::Bytes });
    }
    spec.rules = Some(order.rules);
    TokenTable::new(order.blob, &order.lengths, ids).ok()
}

/// What a hidden token stands for: bytes, the unknown token once per character, or nothing.
fn expansion(token: &[u8], units: Units, unknown: u8) -> Vec<u32> {
    let is_marker = |byte: &u8| {
        units.have_begin && *byte == BEGIN_MARKER || units.have_end && *byte == END_MARKER
    };
    let bytes: Vec<u8> = token.iter().copied().filter(|byte| !is_marker(byte)).collect();
    let is_inside = units.are_characters && bytes.first().is_some_and(|byte| byte & 0xC0 == 0x80);
    match unknown & 3 {
        0 => bytes.iter().map(|&byte| FIRST_BYTE + u32::from(byte)).collect(),
        1 if !bytes.is_empty() && !is_inside => vec![UNKNOWN],
        _ => vec![],
    }
}

/// Tokens and merges between them; some units are missing, some tokens cannot be made.
fn merge_list(input: &mut Input<'_>, units: Units) -> (Vec<Vec<u8>>, Vec<(u32, u32)>) {
    let mut tokens: Vec<Vec<u8>> = Vec::new();
    let add = |token: Vec<u8>, tokens: &mut Vec<Vec<u8>>| {
        if !tokens.contains(&token) {
            tokens.push(token);
        }
    };
    let known =
        u32::from(input.byte()) | u32::from(input.byte()) << 8 | u32::from(input.byte()) << 16;
    for (k, piece) in PIECES.iter().enumerate() {
        if known >> k & 1 == 1 {
            continue;
        }
        let bytes = piece.as_bytes();
        let singles: Vec<&[u8]> =
            if units.are_characters { vec![bytes] } else { bytes.chunks(1).collect() };
        for unit in singles {
            add(unit.to_vec(), &mut tokens);
            if units.have_begin {
                add([&[BEGIN_MARKER], unit].concat(), &mut tokens);
            }
            if units.have_end {
                add([unit, &[END_MARKER]].concat(), &mut tokens);
            }
        }
    }
    let mut merges = Vec::new();
    for _ in 0..input.below(41) {
        if tokens.is_empty() {
            break;
        }
        let (left, right) = (input.below(tokens.len()), input.byte() as usize);
        let (right, is_merge) = (right % tokens.len(), right < 250);
        let is_inner = units.have_end && tokens[left].ends_with(&[END_MARKER])
            || units.have_begin && tokens[right].starts_with(&[BEGIN_MARKER]);
        if is_inner {
            continue;
        }
        let token = [tokens[left].as_slice(), &tokens[right]].concat();
        add(token, &mut tokens);
        if is_merge {
            merges.push((left as u32, right as u32));
        }
    }
    (tokens, merges)
}
