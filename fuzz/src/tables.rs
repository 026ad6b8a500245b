//! Automaton tables outside the engine: read, written, made up, and scanned in the plainest way.

use super::input::Input;

const DEAD: u16 = 0;
const START: u16 = 1;
const FLAG: u16 = 0x8000;
const N_INDEX: usize = 0x11_0000 >> 6;

/// The tables of one pattern, in the form that the pattern compiler writes.
#[derive(Clone, Debug)]
pub struct Table {
    n_states: usize,
    n_classes: usize,
    index: Vec<u16>,
    blocks: Vec<u8>,
    transitions: Vec<u16>,
    covers: Vec<u8>,
    ends: Vec<u8>,
}

fn u16s(bytes: &[u8]) -> Vec<u16> {
    bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()
}

impl Table {
    /// Read data that is known to be good.
    pub fn read(data: &[u8]) -> Self {
        let number = |k: usize| {
            let bytes = data[4 * k..4 * k + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes) as usize
        };
        let (n_states, n_classes, n_blocks) = (number(2), number(3), number(4));
        let (index, rest) = data[20..].split_at(2 * N_INDEX);
        let (blocks, rest) = rest.split_at(64 * n_blocks);
        let (transitions, rest) = rest.split_at(2 * n_states * (n_classes + 1));
        let (covers, ends) = rest.split_at(n_states);
        Self {
            n_states,
            n_classes,
            index: u16s(index),
            blocks: blocks.to_vec(),
            transitions: u16s(transitions),
            covers: covers.to_vec(),
            ends: ends.to_vec(),
        }
    }

    pub fn to_bytes(&self) -> Vec<u8> {
        let mut data = b"TKSA".to_vec();
        for number in [1, self.n_states, self.n_classes, self.blocks.len() / 64] {
            data.extend((number as u32).to_le_bytes());
        }
        data.extend(self.index.iter().flat_map(|n| n.to_le_bytes()));
        data.extend(&self.blocks);
        data.extend(self.transitions.iter().flat_map(|n| n.to_le_bytes()));
        data.extend(self.covers.iter().chain(&self.ends));
        data
    }

    /// A made-up total automaton over the classes other, a, b, blank, and 漢.
    ///
    /// While no match has ended, dying means a match; once one has, anything goes. So matches can
    /// be looked back to from any distance, which few written patterns show.
    pub fn made_up(input: &mut Input<'_>) -> Self {
        Self::make_up(input, false)
    }

    /// The same, but dying may mean that nothing matches here.
    pub fn made_up_partial(input: &mut Input<'_>) -> Self {
        Self::make_up(input, true)
    }

    fn make_up(input: &mut Input<'_>, is_partial: bool) -> Self {
        const N_CLASSES: usize = 5;
        let (n_fresh, n_matched) = (1 + input.below(4), input.below(5));
        let n_states = 2 + n_fresh + n_matched;
        let fresh = |k: usize| match (is_partial, k % 8) {
            (true, 5..) => DEAD,
            (true, _) => (2 + (k >> 3) % n_fresh) as u16,
            (false, _) => (2 + k % n_fresh) as u16,
        };
        let matched = |k: usize| match k % (n_matched + 1) {
            0 => DEAD,
            k => (1 + n_fresh + k) as u16,
        };
        let mut transitions = vec![DEAD; N_CLASSES + 1];
        transitions.extend((0..N_CLASSES).map(|_| fresh(input.byte() as usize)));
        transitions.push(DEAD);
        for state in 2..n_states {
            let is_fresh = state < 2 + n_fresh;
            for _ in 0..N_CLASSES {
                let choice = input.byte() as usize;
                let (flag, next) = (choice & 1 == 1, choice >> 1);
                transitions.push(match (is_fresh, flag) {
                    (true, false) => fresh(next),
                    (_, true) => matched(next) | FLAG,
                    (false, false) => matched(next),
                });
            }
            let ends = (is_fresh && !is_partial) || input.byte() & 1 == 1;
            transitions.push(if ends { FLAG } else { DEAD });
        }
        let mut index = vec![0; N_INDEX];
        let mut blocks = vec![0; 64];
        for (character, class) in [('a', 1), ('b', 2), (' ', 3), ('\n', 3), ('漢', 4)] {
            let (block, low) = (character as usize >> 6, character as usize & 63);
            if index[block] == 0 {
                index[block] = (blocks.len() / 64) as u16;
                blocks.extend([0; 64]);
            }
            blocks[index[block] as usize * 64 + low] = class;
        }
        let mut table = Self {
            n_states,
            n_classes: N_CLASSES,
            index,
            blocks,
            transitions,
            covers: vec![],
            ends: vec![],
        };
        table.derive();
        table
    }

    /// `covers` and `ends` by their definitions.
    fn derive(&mut self) {
        let dies_matched = |entry: u16| entry == FLAG | DEAD;
        let ends = self.rows().map(|row| row.iter().all(|&entry| dies_matched(entry)));
        let ends: Vec<u8> = ends.map(u8::from).collect();
        let mut covers = vec![1_u8; self.n_states];
        covers[DEAD as usize] = 0;
        loop {
            let holds = |entry: u16| entry & FLAG != 0 || covers[entry as usize] == 1;
            let next: Vec<u8> =
                self.rows().map(|row| u8::from(row.iter().all(|&entry| holds(entry)))).collect();
            if next == covers {
                break;
            }
            covers = next;
        }
        (self.covers, self.ends) = (covers, ends);
    }

    fn rows(&self) -> impl Iterator<Item = &[u16]> {
        self.transitions.chunks_exact(self.n_classes + 1)
    }

    fn class_of(&self, character: char) -> usize {
        let point = character as usize;
        self.blocks[self.index[point >> 6] as usize * 64 + (point & 63)] as usize
    }

    /// Pretokens of `text`: read until the automaton dies, go back to the last match end, repeat.
    pub fn split<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let mut pretokens = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (mut state, mut end) = (START, 0);
            let symbols = rest.char_indices().map(|(at, c)| (at, self.class_of(c)));
            for (at, symbol) in symbols.chain([(rest.len(), self.n_classes)]) {
                let entry = self.transitions[state as usize * (self.n_classes + 1) + symbol];
                if entry & FLAG != 0 {
                    end = at;
                }
                state = entry & !FLAG;
                if state == DEAD {
                    break;
                }
            }
            let (pretoken, after) = rest.split_at(end);
            assert!(!pretoken.is_empty(), "the pattern of this case is not total");
            pretokens.push(pretoken);
            rest = after;
        }
        pretokens
    }
}
