//! The compiled pattern: a deterministic automaton over classes of code points.
//!
//! Its states are ordered lists of threads of the pattern; a transition's flag says that a match
//! ends *before* the symbol just read. The last flagged position before the automaton dies is the
//! leftmost-first match. The tables are made by the pattern compiler in Python.

use crate::error::TableError;
use crate::simd::Path;

use super::blocks::BlockScan;

pub(crate) const DEAD: u16 = 0;
pub(crate) const START: u16 = 1;
pub(crate) const FLAG: u16 = 0x8000;

/// Bits of a folded entry, above the next state in the lower half: a match ends before the
/// symbol; it is the pretoken's end, and the next state has read the symbol as the first of the
/// next pretoken; the automaton died without a match just before, so the scan has to go back.
pub(crate) const MATCHED: u32 = 1 << 31;
pub(crate) const CUT: u32 = 1 << 30;
pub(crate) const DIED: u32 = 1 << 29;

const MAGIC: &[u8; 4] = b"TKSA";
const VERSION: u32 = 1;
const N_INDEX: usize = 0x11_0000 >> 6;
const N_ASCII: usize = 128;

/// The tables of one pattern.
#[derive(Clone, Debug)]
pub struct Automaton {
    n_states: usize,
    n_classes: usize,
    index: Vec<u16>,
    blocks: Vec<u8>,
    /// `[n_states][n_classes + 1]`, the last column being the end of input.
    transitions: Vec<u16>,
    /// The same with "die and begin again here" folded into one step.
    folded: Vec<u32>,
    /// `[n_states]` rows: `folded` by ASCII byte.
    ascii: Vec<[u32; N_ASCII]>,
    covers: Vec<bool>,
    ends: Vec<bool>,
    /// Tables to read whole blocks of text with, if the pattern is simple enough.
    block_scan: Option<BlockScan>,
}

/// Reads little-endian numbers, refusing to run past the end.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&mut self, n: usize) -> Result<&'a [u8], TableError> {
        let (head, tail) = self
            .0
            .split_at_checked(n)
            .ok_or_else(|| TableError("automaton: the data is cut short".into()))?;
        self.0 = tail;
        Ok(head)
    }

    fn u32(&mut self) -> Result<usize, TableError> {
        let b = self.bytes(4)?;
        Ok(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    }

    fn u16s(&mut self, n: usize) -> Result<Vec<u16>, TableError> {
        let bytes = self.bytes(n.saturating_mul(2))?;
        Ok(bytes.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect())
    }
}

impl Automaton {
    /// Read and check the form that the pattern compiler writes (`Automaton.to_bytes`).
    pub fn from_bytes(data: &[u8]) -> Result<Self, TableError> {
        let wrong = |what: &str| Err(TableError(format!("automaton: {what}")));
        let mut reader = Reader(data);
        if reader.bytes(4)? != MAGIC || reader.u32()? != VERSION as usize {
            return wrong("not automaton data of this version");
        }
        let (n_states, n_classes, n_blocks) = (reader.u32()?, reader.u32()?, reader.u32()?);
        if !(2..FLAG as usize).contains(&n_states) || !(1..=255).contains(&n_classes) {
            return wrong("the number of states or classes is out of range");
        }
        let index = reader.u16s(N_INDEX)?;
        let blocks = reader.bytes(n_blocks.saturating_mul(64))?.to_vec();
        let transitions = reader.u16s(n_states * (n_classes + 1))?;
        let mut flags = || Ok(reader.bytes(n_states)?.iter().map(|&b| b != 0).collect());
        let (covers, ends) = (flags()?, flags()?);
        if !reader.0.is_empty() {
            return wrong("there is data behind the end");
        }
        if index.iter().any(|&block| block as usize >= n_blocks)
            || blocks.iter().any(|&class| class as usize >= n_classes)
            || transitions.iter().any(|&entry| (entry & !FLAG) as usize >= n_states)
        {
            return wrong("an entry is out of range");
        }
        let mut automaton = Self {
            n_states,
            n_classes,
            index,
            blocks,
            transitions,
            folded: Vec::new(),
            ascii: Vec::new(),
            covers,
            ends,
            block_scan: None,
        };
        automaton.fold();
        automaton.set_path(Path::from_environment());
        Ok(automaton)
    }

    /// The automaton whose match never ends before the text does.
    #[must_use]
    pub fn endless() -> Self {
        let mut automaton = Self {
            n_states: 3,
            n_classes: 1,
            index: vec![0; N_INDEX],
            blocks: vec![0; 64],
            transitions: vec![DEAD, DEAD, 2, DEAD, FLAG | 2, FLAG | DEAD],
            folded: Vec::new(),
            ascii: Vec::new(),
            covers: vec![false, false, true],
            ends: vec![false; 3],
            block_scan: None,
        };
        automaton.fold();
        automaton
    }

    /// Choose how text is read; `path` must be available.
    pub fn set_path(&mut self, path: Path) {
        let wants_blocks = path != Path::Plain && Path::available().contains(&path);
        self.block_scan = if wants_blocks { BlockScan::new(self, path) } else { None };
    }

    /// How text is read: `Plain` if the pattern is not simple enough for another way.
    #[must_use]
    pub fn path(&self) -> Path {
        self.block_scan.as_ref().map_or(Path::Plain, BlockScan::path)
    }

    fn fold(&mut self) {
        let row = self.n_classes + 1;
        let fold = |(at, &entry): (usize, &u16)| match (entry & FLAG != 0, entry & !FLAG) {
            (true, DEAD) => MATCHED | CUT | u32::from(self.step(START, at % row) & !FLAG),
            (false, DEAD) => DIED,
            (true, next) => MATCHED | u32::from(next),
            (false, next) => u32::from(next),
        };
        self.folded = self.transitions.iter().enumerate().map(fold).collect();
        let classes: [usize; N_ASCII] = std::array::from_fn(|byte| self.class_of(byte as u32));
        self.ascii =
            self.folded.chunks_exact(row).map(|row| classes.map(|class| row[class])).collect();
    }

    /// Tables to read whole blocks of text with, if the pattern is simple enough.
    pub(crate) fn block_scan(&self) -> Option<&BlockScan> {
        self.block_scan.as_ref()
    }

    /// Number of classes of code points.
    pub(crate) fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Number of states, the dead one included.
    #[must_use]
    pub fn n_states(&self) -> usize {
        self.n_states
    }

    pub(crate) fn class_of(&self, code_point: u32) -> usize {
        let block = self.index[(code_point >> 6) as usize] as usize;
        self.blocks[block << 6 | (code_point & 63) as usize] as usize
    }

    /// Class of all 64 code points from `64 * block` on, if they have one.
    pub(crate) fn class_of_block(&self, block: usize) -> Option<usize> {
        let start = (self.index[block] as usize) << 6;
        let classes = &self.blocks[start..start + 64];
        classes.iter().all(|&class| class == classes[0]).then(|| classes[0] as usize)
    }

    pub(crate) fn step(&self, state: u16, symbol: usize) -> u16 {
        self.transitions[state as usize * (self.n_classes + 1) + symbol]
    }

    /// Folded entry for the character that begins at `text[at]`, and its length in bytes.
    #[inline(always)]
    pub(crate) fn read_folded(&self, state: usize, text: &[u8], at: usize) -> (u32, usize) {
        let byte = text[at];
        if byte < 0x80 {
            return (self.ascii[state][byte as usize], 1);
        }
        let (code_point, width) = decode(text, at);
        (self.folded[state * (self.n_classes + 1) + self.class_of(code_point)], width)
    }

    /// Is the automaton still alive after `rest`, whose last character may be cut? Bytes that are
    /// not UTF-8 never follow.
    pub(crate) fn survives(&self, mut state: u16, rest: &[u8]) -> bool {
        let (whole, is_cut) = match std::str::from_utf8(rest) {
            Ok(_) => (rest, false),
            Err(error) if error.error_len().is_none() => (&rest[..error.valid_up_to()], true),
            Err(_) => return false,
        };
        let mut at = 0;
        while at < whole.len() {
            let (class, width) = self.read_class(whole, at);
            state = self.step(state, class) & !FLAG;
            if state == DEAD {
                return false;
            }
            at += width;
        }
        // Which character it is that was cut is not known: some one may do.
        state != DEAD || is_cut
    }

    /// Class of the character that begins at `text[at]`, and its length in bytes.
    pub(crate) fn read_class(&self, text: &[u8], at: usize) -> (usize, usize) {
        let byte = text[at];
        if byte < 0x80 {
            return (self.class_of(byte as u32), 1);
        }
        let (code_point, width) = decode(text, at);
        (self.class_of(code_point), width)
    }

    /// Entry for the end of input.
    pub(crate) fn read_end(&self, state: u16) -> u16 {
        self.step(state, self.n_classes)
    }

    /// May a search have to read any amount of text before it knows more about a match? So it is
    /// if states without a certain match lead around in a circle without a match on the way.
    pub(crate) fn may_wait(&self) -> bool {
        let undecided = |entry: &u16| entry & FLAG == 0 && *entry != DEAD && !self.covers(*entry);
        let next = |state: u16| {
            let row = state as usize * (self.n_classes + 1);
            self.transitions[row..row + self.n_classes].iter().copied().filter(undecided)
        };
        // Take away, again and again, states that nothing undecided leads to.
        let mut n_before = vec![0_usize; self.n_states];
        let states = START..self.n_states as u16;
        let undecided_states = || states.clone().filter(|&state| !self.covers(state));
        undecided_states().flat_map(next).for_each(|state| n_before[state as usize] += 1);
        let mut free: Vec<u16> =
            undecided_states().filter(|&state| n_before[state as usize] == 0).collect();
        let mut n_taken = 0;
        while let Some(state) = free.pop() {
            n_taken += 1;
            for state in next(state) {
                n_before[state as usize] -= 1;
                if n_before[state as usize] == 0 {
                    free.push(state);
                }
            }
        }
        n_taken < undecided_states().count()
    }

    /// Whatever follows, a match will end at or behind the current position.
    pub(crate) fn covers(&self, state: u16) -> bool {
        self.covers[state as usize]
    }

    /// Whatever follows, the match ends at the current position.
    pub(crate) fn ends(&self, state: u16) -> bool {
        self.ends[state as usize]
    }
}

/// Code point and length of the non-ASCII character at `text[at]`, which is complete and valid.
#[inline(always)]
pub(crate) fn decode(text: &[u8], at: usize) -> (u32, usize) {
    let lead = text[at] as u32;
    let tail = |i: usize| (text[at + i] & 0x3F) as u32;
    if lead < 0xE0 {
        ((lead & 0x1F) << 6 | tail(1), 2)
    } else if lead < 0xF0 {
        ((lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3)
    } else {
        (((lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)).min(0x10_FFFF), 4)
    }
}
