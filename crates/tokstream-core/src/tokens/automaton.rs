//! Aho–Corasick automaton of all reachable tokens: the longest token that ends at each byte.
//!
//! Stored as a double array. A node's child for byte `c` is slot `base ^ c`, if that slot carries
//! the label `c`: bases are unique, and empty slots carry a label that no base of their block
//! leads to, so the label alone decides.

use std::collections::VecDeque;

use bytemuck::{Pod, Zeroable};

use crate::error::TableError;
use crate::prepared::{Reader, Writer};
use crate::table::Table;

use super::suffix::Suffix;
use super::vocabulary::TokenTable;

const BLOCK: usize = 256;
const MAX_SLOTS: usize = 1 << 24;
/// Blocks with fewer free slots than this are not searched again.
const FULL: u32 = 6;
/// Nodes of more children than this are wide, and seldom fit between others.
const NARROW: usize = 3;
/// How many of the last blocks are searched for a node's place.
const WIDE_SEARCH: usize = 32;
const NARROW_SEARCH: usize = 16;

/// One node; four to a cache line.
#[derive(Clone, Copy, Debug, Default, Zeroable, Pod)]
#[repr(C, align(16))]
pub(crate) struct Slot {
    /// Base of the children in the upper 24 bits, the byte that leads here in the lower 8.
    base_and_label: u32,
    /// The longest token that is a suffix of this node's string.
    pub(crate) suffix: Suffix,
    /// Node of the longest proper suffix of this node's string that has one.
    pub(crate) fail: u32,
    depth: u16,
    unused: u16,
}

impl Slot {
    /// Where the child for `byte` is, if there is one.
    #[inline(always)]
    pub(crate) fn child(self, byte: u8) -> usize {
        ((self.base_and_label >> 8) ^ u32::from(byte)) as usize
    }

    /// The byte that leads here.
    #[inline(always)]
    pub(crate) fn label(self) -> u8 {
        self.base_and_label as u8
    }
}

/// The automaton; node 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct SuffixAutomaton {
    slots: Table<Slot>,
    /// By slot: which token is the first, in order of bytes, that begins with the node's string.
    firsts: Table<u32>,
    leaf_base: u32,
}

impl SuffixAutomaton {
    /// Build from the reachable tokens, `sorted` by their bytes; `numbers` has the forest id of
    /// each. Also returns, by forest id, the next shorter token that is a suffix of the token.
    pub(crate) fn new(
        tokens: &TokenTable,
        sorted: &[u32],
        numbers: &[u32],
    ) -> Result<(Self, Vec<u32>), TableError> {
        Builder::default().build(tokens, sorted, numbers)
    }

    /// Put it into a file.
    pub(crate) fn write<'a>(&'a self, writer: &mut Writer<'a>) {
        writer.put(std::slice::from_ref(&self.leaf_base));
        writer.put(&self.slots);
        writer.put(&self.firsts);
    }

    /// Take it back.
    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, TableError> {
        let [leaf_base] = reader.take_array()?;
        let slots: Table<Slot> = reader.take()?;
        let n = slots.len();
        Ok(Self { slots, firsts: reader.take_n(n)?, leaf_base })
    }

    /// Read `byte` in `node`; every byte is a token, so the root has all children.
    #[inline(always)]
    pub(crate) fn step(&self, node: u32, byte: u8) -> u32 {
        step(&self.slots, node, byte)
    }

    /// Forest id of the longest token that ends here.
    #[inline(always)]
    pub(crate) fn suffix(&self, node: u32) -> u32 {
        self.slots[node as usize].suffix.token()
    }

    pub(crate) fn fail(&self, node: u32) -> u32 {
        self.slots[node as usize].fail
    }

    /// Length of the node's string.
    pub(crate) fn depth(&self, node: u32) -> usize {
        self.slots[node as usize].depth as usize
    }

    /// How many tokens come, in order of bytes, before all that begin with the node's string.
    pub(crate) fn first(&self, node: u32) -> usize {
        self.firsts[node as usize] as usize
    }

    /// Is the node's string a proper prefix of some token?
    pub(crate) fn has_children(&self, node: u32) -> bool {
        self.slots[node as usize].base_and_label >> 8 != self.leaf_base
    }

    /// The child of `node` for `byte`, if there is one.
    pub(crate) fn child(&self, node: u32, byte: u8) -> Option<u32> {
        let child = self.slots[node as usize].child(byte);
        (self.slots[child].label() == byte).then_some(child as u32)
    }

    /// All nodes and unused slots.
    #[inline(always)]
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }
}

#[inline(always)]
fn step(slots: &[Slot], mut node: u32, byte: u8) -> u32 {
    loop {
        let slot = slots[node as usize];
        let child = slot.child(byte);
        if slots[child].label() == byte {
            return child as u32;
        }
        if node == 0 {
            return 0;
        }
        node = slot.fail;
    }
}

/// Bits of a block's slots, or of its bases.
type Bits = [u64; BLOCK / 64];

/// Slots while they are being filled.
#[derive(Default)]
struct Builder {
    bases: Vec<u32>,
    labels: Vec<u8>,
    /// By block: slots that hold a node, bases that are taken, how many slots are free.
    used: Vec<Bits>,
    taken: Vec<Bits>,
    free: Vec<u32>,
    first_block: usize,
}

/// A node whose children are still to be placed: tokens `low..high` share its string.
struct Open {
    low: usize,
    high: usize,
    depth: u16,
    node: u32,
}

/// Tokens in order of their bytes, one behind the other.
struct Texts {
    blob: Vec<u8>,
    begins: Vec<u32>,
}

impl Texts {
    fn new(tokens: &TokenTable, sorted: &[u32]) -> Self {
        let (mut blob, mut begins) = (Vec::new(), vec![0]);
        for &rank in sorted {
            blob.extend_from_slice(tokens.bytes(rank));
            begins.push(blob.len() as u32);
        }
        Self { blob, begins }
    }

    fn length(&self, index: usize) -> usize {
        (self.begins[index + 1] - self.begins[index]) as usize
    }

    fn byte(&self, index: usize, depth: usize) -> u8 {
        self.blob[self.begins[index] as usize + depth]
    }

    /// Behind the tokens from `low` on that have the same byte at `depth`; few, mostly.
    fn end_of_byte(&self, low: usize, high: usize, depth: usize) -> usize {
        let byte = self.byte(low, depth);
        let (mut low, mut step) = (low, 1);
        while low + step < high && self.byte(low + step, depth) == byte {
            low += step;
            step *= 2;
        }
        let mut high = high.min(low + step);
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.byte(middle, depth) == byte { low = middle } else { high = middle }
        }
        high
    }
}

fn bit(bits: &[Bits], at: usize) -> bool {
    bits[at / BLOCK][at % BLOCK / 64] >> (at % 64) & 1 == 1
}

fn set(bits: &mut [Bits], at: usize) {
    bits[at / BLOCK][at % BLOCK / 64] |= 1 << (at % 64);
}

/// `bits` with every index `i` moved to `i ^ by`.
fn permute(bits: &Bits, by: u8) -> Bits {
    const LOW_HALVES: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0F0F_0F0F_0F0F_0F0F,
        0x00FF_00FF_00FF_00FF,
        0x0000_FFFF_0000_FFFF,
        0x0000_0000_FFFF_FFFF,
    ];
    std::array::from_fn(|word| {
        let mut bits = bits[word ^ (by >> 6) as usize];
        for (k, low) in LOW_HALVES.into_iter().enumerate().filter(|(k, _)| by >> k & 1 == 1) {
            bits = (bits & low) << (1 << k) | (bits >> (1 << k) & low);
        }
        bits
    })
}

impl Builder {
    fn add_block(&mut self) {
        let n = self.bases.len() + BLOCK;
        self.bases.resize(n, 0);
        self.labels.resize(n, 0);
        self.used.push(Bits::default());
        self.taken.push(Bits::default());
        self.free.push(BLOCK as u32);
    }

    /// A base that no node has, at which all of `bytes` lead to free slots.
    fn place(&mut self, bytes: &[u8]) -> usize {
        while self.first_block + 1 < self.free.len() && self.free[self.first_block] < FULL {
            self.first_block += 1;
        }
        // Only the last blocks are searched: the gaps that stay in earlier ones are few.
        let n_searched = if bytes.len() > NARROW { WIDE_SEARCH } else { NARROW_SEARCH };
        let mut block = self.first_block.max(self.free.len().saturating_sub(n_searched));
        loop {
            if block == self.free.len() {
                self.add_block();
            }
            if self.free[block] as usize >= bytes.len() {
                if let &[byte] = bytes {
                    if let Some(base) = self.place_one(block, byte) {
                        return base;
                    }
                    block += 1;
                    continue;
                }
                let mut unfit = self.taken[block];
                for &byte in bytes {
                    let used = permute(&self.used[block], byte);
                    unfit.iter_mut().zip(used).for_each(|(unfit, used)| *unfit |= used);
                }
                if let Some(word) = unfit.iter().position(|&bits| bits != u64::MAX) {
                    let low = word * 64 + unfit[word].trailing_ones() as usize;
                    let base = block * BLOCK + low;
                    set(&mut self.taken, base);
                    self.free[block] -= bytes.len() as u32;
                    return base;
                }
            }
            block += 1;
        }
    }

    /// The same for one byte in one block: most nodes have one child.
    fn place_one(&mut self, block: usize, byte: u8) -> Option<usize> {
        for (word, &used) in self.used[block].iter().enumerate() {
            let mut free = !used;
            while free != 0 {
                let slot = block * BLOCK + word * 64 + free.trailing_zeros() as usize;
                let base = slot ^ byte as usize;
                if !bit(&self.taken, base) {
                    set(&mut self.taken, base);
                    self.free[block] -= 1;
                    return Some(base);
                }
                free &= free - 1;
            }
        }
        None
    }

    fn build(
        mut self,
        tokens: &TokenTable,
        sorted: &[u32],
        numbers: &[u32],
    ) -> Result<(SuffixAutomaton, Vec<u32>), TableError> {
        self.add_block();
        set(&mut self.used, 0);
        self.free[0] -= 1;
        let mut own = vec![0_u32; BLOCK];
        let mut depth = vec![0_u16; BLOCK];
        let mut firsts = vec![0_u32; BLOCK];
        let mut order = vec![(0_u32, 0_u32)];
        let mut leaves = Vec::new();
        let mut open = VecDeque::from([Open { low: 0, high: sorted.len(), depth: 0, node: 0 }]);
        let texts = Texts::new(tokens, sorted);
        let mut bytes = Vec::new();
        let mut spans: Vec<usize> = Vec::new();
        while let Some(Open { mut low, high, depth: d, node }) = open.pop_front() {
            if low < high && texts.length(low) == d as usize {
                own[node as usize] = numbers[sorted[low] as usize];
                low += 1;
            }
            bytes.clear();
            spans.clear();
            while low < high {
                bytes.push(texts.byte(low, d as usize));
                spans.push(low);
                low = texts.end_of_byte(low, high, d as usize);
            }
            spans.push(high);
            if bytes.is_empty() {
                leaves.push(node);
                continue;
            }
            let base = self.place(&bytes);
            if self.bases.len() > MAX_SLOTS - BLOCK {
                return Err(TableError("the vocabulary is too large: over 2^24 trie nodes".into()));
            }
            own.resize(self.bases.len(), 0);
            depth.resize(self.bases.len(), 0);
            firsts.resize(self.bases.len(), 0);
            self.bases[node as usize] = base as u32;
            for (&byte, span) in bytes.iter().zip(spans.windows(2)) {
                let child = base ^ byte as usize;
                set(&mut self.used, child);
                self.labels[child] = byte;
                depth[child] = d + 1;
                firsts[child] = span[0] as u32;
                order.push((child as u32, node));
                open.push_back(Open {
                    low: span[0],
                    high: span[1],
                    depth: d + 1,
                    node: child as u32,
                });
            }
        }
        let leaf_base = self.close(&leaves);
        own.resize(self.bases.len(), 0);
        depth.resize(self.bases.len(), 0);
        firsts.resize(self.bases.len(), 0);
        let slots = self.bases.iter().zip(&self.labels).zip(own.iter().zip(&depth));
        let slots = slots.map(|((&base, &label), (&own, &depth))| Slot {
            base_and_label: base << 8 | u32::from(label),
            suffix: Suffix::new(own, depth as usize),
            fail: 0,
            depth,
            unused: 0,
        });
        let mut slots: Vec<Slot> = slots.collect();
        let mut next = vec![0; sorted.len() + 1];
        // Breadth first, so that the failure link of the parent is known.
        for &(node, parent) in &order[1..] {
            if parent != 0 {
                let byte = slots[node as usize].label();
                slots[node as usize].fail = step(&slots, slots[parent as usize].fail, byte);
            }
            let Slot { suffix: own, fail, .. } = slots[node as usize];
            let shorter = slots[fail as usize].suffix;
            if own.token() == 0 {
                slots[node as usize].suffix = shorter;
            } else {
                next[own.token() as usize] = shorter.token();
            }
        }
        let (slots, firsts) = (slots.into(), firsts.into());
        Ok((SuffixAutomaton { slots, firsts, leaf_base }, next))
    }

    /// Give leaves a base of their own, and empty slots labels that nothing leads to.
    fn close(&mut self, leaves: &[u32]) -> u32 {
        let leaf_base = self.bases.len();
        self.add_block();
        set(&mut self.taken, leaf_base);
        for &leaf in leaves {
            self.bases[leaf as usize] = leaf_base as u32;
        }
        for block in 0..self.free.len() {
            let start = block * BLOCK;
            let spare = (0..BLOCK).find(|&low| !bit(&self.taken, start + low));
            for slot in start..start + BLOCK {
                // A block with an empty slot (the root's counts) has a spare base.
                if let Some(spare) = spare.filter(|_| slot == 0 || !bit(&self.used, slot)) {
                    self.labels[slot] = ((slot - start) ^ spare) as u8;
                }
            }
        }
        leaf_base as u32
    }
}
