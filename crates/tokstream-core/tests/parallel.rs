//! One text in parts: where it is cut, and that its parts, joined, are what a stream gives.

mod small;

use std::sync::{Arc, OnceLock};

use small::CL100K;
use tokstream_core::chunks::{OnInvalid, Source};
use tokstream_core::core::Core;
use tokstream_core::error::Error;
use tokstream_core::normalize::{Form, Normalizer, Step};
use tokstream_core::parallel::{Encoder, Entry, Joiner, Splitter};
use tokstream_core::segments::{AddedToken, SpecialSet};
use tokstream_core::spec::Spec;

const O200K: &[u8] = include_bytes!("../../../fuzz/seeds/o200k.automaton");

static CORES: [OnceLock<Arc<Core>>; 2] = [const { OnceLock::new() }; 2];

const TOKENS: [&str; 12] =
    ["漢", "字", "文", "漢字", "th", "the", " the", "aa", "aaaa", "  ", "    ", "12"];

fn core(automaton: &[u8], steps: Vec<Step>) -> Core {
    let spec = Spec { normalizer: Normalizer::new(steps), ..Spec::default() };
    small::core(&TOKENS, automaton, spec)
}

fn encoder(automaton: &[u8], allowed: &[&str], forbidden: &[&str], replace: bool) -> Encoder {
    let number = usize::from(automaton.len() == O200K.len());
    let core = CORES[number].get_or_init(|| Arc::new(core(automaton, vec![]))).clone();
    let allowed: Vec<(String, u32)> =
        (1000..).zip(allowed).map(|(id, name)| ((*name).to_owned(), id)).collect();
    let forbidden: Vec<String> = forbidden.iter().map(|&name| name.to_owned()).collect();
    let specials = SpecialSet::new(&allowed, &forbidden).expect("a small set");
    let on_invalid = if replace { OnInvalid::Replace } else { OnInvalid::Fail };
    Encoder::new(core, Arc::new(specials), on_invalid)
}

type Encoded = (Vec<u32>, Option<Error>);

fn whole(encoder: &Encoder, text: &[u8]) -> Encoded {
    let mut ids = Vec::new();
    let mut stream = encoder.stream();
    let fed = stream.feed(text, Source::Bytes, false, &mut ids);
    let error = fed.and_then(|()| stream.finish(&mut ids)).err();
    (ids, error)
}

/// How the parts were thought to begin, and how many were encoded a second time.
#[derive(Debug, Default, PartialEq)]
struct Parts {
    at_pretokens: usize,
    inside: usize,
    between: usize,
    unknown: usize,
    again: usize,
}

fn in_parts(encoder: &Encoder, text: &[u8], size: usize) -> (Encoded, Parts) {
    let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
    let mut rest = text;
    let (mut ids, mut parts) = (Vec::new(), Parts::default());
    loop {
        let part = splitter.next_of(encoder, &mut rest, Source::Bytes, size);
        match part.entry {
            Some(Entry::Pretoken) => parts.at_pretokens += 1,
            Some(Entry::Inside(_)) => parts.inside += 1,
            Some(Entry::Between) => parts.between += 1,
            None => parts.unknown += 1,
        }
        let is_last = part.is_last;
        let (more, done) = joiner.take(encoder, encoder.encode(part, Vec::new()));
        ids.extend(more);
        parts.again = joiner.n_again();
        if is_last || done.is_err() {
            return ((ids, done.err()), parts);
        }
    }
}

fn agrees(encoder: &Encoder, text: &[u8], size: usize) -> Parts {
    let (found, parts) = in_parts(encoder, text, size);
    assert_eq!(found, whole(encoder, text), "parts of {size}: {:?}", text.escape_ascii());
    parts
}

#[test]
fn words_are_cut_between_pretokens() {
    let text = "the quick brown fox, 12 times; the\nlazy dog's 漢字文! ".repeat(300);
    for automaton in [CL100K, O200K] {
        for replace in [false, true] {
            let encoder = encoder(automaton, &["<|e|>"], &[], replace);
            let parts = agrees(&encoder, text.as_bytes(), 600);
            assert!(parts.at_pretokens > 20, "{parts:?}");
            assert_eq!((parts.inside, parts.unknown, parts.again), (0, 0, 0));
            for size in 1..80 {
                agrees(&encoder, &text.as_bytes()[..500], size);
            }
        }
    }
}

#[test]
fn a_text_without_spaces_is_cut_inside_its_pretoken() {
    let text = "漢字文漢文字文".repeat(2000);
    for automaton in [CL100K, O200K] {
        let encoder = encoder(automaton, &[], &[], false);
        let parts = agrees(&encoder, text.as_bytes(), 3000);
        assert!(parts.inside > 10, "{parts:?}");
        assert_eq!((parts.unknown, parts.again), (0, 0));
        for size in 20..120 {
            agrees(&encoder, &text.as_bytes()[..600], size);
        }
    }
}

#[test]
fn a_wrong_guess_is_found_out() {
    // A small letter first: this pattern then is in another state than behind a character.
    let text = format!("x{}X{}", "漢字文漢文".repeat(1000), "文漢文".repeat(1000));
    let parts = agrees(&encoder(O200K, &[], &[], false), text.as_bytes(), 1000);
    assert!(parts.again > 3 && parts.inside > parts.again, "{parts:?}");
}

#[test]
fn texts_are_cut_before_they_are_normalized() {
    let core = Arc::new(core(CL100K, vec![Step::form(Form::Nfc)]));
    let encoder = Encoder::new(core, Arc::default(), OnInvalid::Fail);
    let text = "the cafe\u{301} か\u{3099}, 漢字。\n文漢 12 times\n".repeat(200);
    let parts = agrees(&encoder, text.as_bytes(), 700);
    assert!(parts.at_pretokens > 10, "{parts:?}");
    assert_eq!((parts.inside, parts.unknown, parts.again), (0, 0, 0));
    for size in 20..120 {
        agrees(&encoder, &text.as_bytes()[..600], size);
    }
}

/// A tokenizer that reads spaces as signs, with added tokens for both passes.
fn signs(steps: Vec<Step>, added: &[(&str, bool)]) -> Encoder {
    let added: Vec<AddedToken> = (1000..)
        .zip(added)
        .map(|(id, &(content, is_normalized))| AddedToken {
            content: content.to_owned(),
            id,
            is_special: false,
            is_normalized,
            strips_left: false,
            strips_right: false,
            is_single_word: false,
        })
        .collect();
    let spec = Spec { normalizer: Normalizer::new(steps), added, ..Spec::default() };
    let tokens = ["\u{2581}the", "\u{2581}\u{2581}\u{2581}", "漢字", "ox", "\u{2581}字"];
    let core = Arc::new(small::single(&tokens, spec));
    let set = core.special_set(&|_| true, &[]).expect("a sound set");
    Encoder::new(core, Arc::new(set), OnInvalid::Fail)
}

#[test]
fn a_text_that_is_one_pretoken_is_cut_where_a_token_ends() {
    let replace = || Step::replace(" ", "\u{2581}").expect("a literal");
    let chains: [Vec<Step>; 4] = [
        vec![],
        vec![replace()],
        vec![Step::prepend("\u{2581}"), replace()],
        vec![replace(), Step::prepend_unless("\u{2581}", true)],
    ];
    let adds: [&[(&str, bool)]; 3] =
        [&[], &[("<s>", false), ("he q", false)], &[("<s>", false), ("<m>", true)]];
    let text = "the quick  the fox<s> 漢字文漢 字<m>the 12   the\u{2581}字<s>".repeat(200);
    for steps in chains {
        for added in adds {
            let encoder = signs(steps.clone(), added);
            if !encoder.can_cut() {
                // What is put before a text is put before a token that is looked for in it, too.
                assert!(added.iter().any(|&(_, is_normalized)| is_normalized));
                continue;
            }
            let parts = agrees(&encoder, text.as_bytes(), 700);
            assert!(parts.between > 10, "{parts:?}");
            assert_eq!((parts.inside, parts.unknown, parts.again), (0, 0, 0));
            for size in 20..120 {
                agrees(&encoder, &text.as_bytes()[..600], size);
            }
        }
    }
}

#[test]
fn a_text_is_not_cut_where_its_normalizer_or_added_tokens_look_further() {
    let replace = Step::replace(" ", "\u{2581}").expect("a literal");
    let text = "the quick  the fox<s> 漢字文漢 字<m>the 12   the\u{2581}字<s>".repeat(50);
    let in_signs = signs(vec![replace], &[("x\u{2581}y", true)]);
    let stripped = signs(vec![Step::strip(true, true)], &[]);
    for encoder in [in_signs, stripped] {
        assert!(!encoder.can_cut());
        let parts = agrees(&encoder, text.as_bytes(), 700);
        assert_eq!((parts.between, parts.inside, parts.at_pretokens), (0, 0, 1));
    }
}

#[test]
fn a_text_without_a_place_to_cut_is_one_part_after_the_other() {
    for unit in ["a", " ", "1", "é", "aá"] {
        let text = unit.repeat(6000);
        let parts = agrees(&encoder(CL100K, &["<|e|>"], &[], false), text.as_bytes(), 1000);
        assert!(parts.unknown > 3 && parts.inside == 0 && parts.at_pretokens == 1, "{parts:?}");
    }
}

#[test]
fn special_tokens_anywhere_are_found_as_in_one_piece() {
    let base = "the 12 漢字漢文 the, fox";
    for names in [&["<|e|>", "<|e|><|e|>"][..], &[" the"], &["漢漢", "字漢"], &[", fox the"]] {
        let text = base.repeat(6);
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let text = format!("{}{}{}", &text[..at], names[0], &text[at..]);
            for (allowed, forbidden) in [(names, &[][..]), (&[][..], names), (&names[..1], names)] {
                let encoder = encoder(CL100K, allowed, forbidden, false);
                agrees(&encoder, text.as_bytes(), 40);
                agrees(&encoder, text.as_bytes(), 61);
            }
        }
    }
}

#[test]
fn invalid_bytes_anywhere_are_the_same_fault_or_the_same_replacement() {
    let base = "the 12 漢字漢文 the, fox".repeat(5);
    for replace in [false, true] {
        let encoder = encoder(CL100K, &["\u{FFFD}12", "x\u{FFFD}"], &["\u{FFFD} the"], replace);
        for invalid in [&b"\xFF"[..], b"\xE6\xBC", b"\xF0\x9F\x99", b"\x80\x80x\xC3"] {
            for at in 0..base.len() {
                let mut text = base.as_bytes().to_vec();
                text.splice(at..at, invalid.iter().copied());
                agrees(&encoder, &text, 35);
                agrees(&encoder, &text, 54);
            }
        }
    }
}
