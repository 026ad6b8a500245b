//! The precompiled character map of `SentencePiece`: byte strings and what they become.
//!
//! Its form: the size of a double-array trie (little-endian u32), the trie, and all replacements,
//! each ended by a zero byte; a leaf's value is the offset of its replacement. A unit of the trie
//! holds a label (8 bits), "a leaf follows" (bit 8), and an offset; bit 31 marks a leaf's value.

use crate::error::TableError;

const IS_LEAF: u32 = 1 << 31;
const HAS_LEAF: u32 = 1 << 8;

/// A checked map.
#[derive(Debug, Default)]
pub(super) struct Charsmap {
    units: Vec<u32>,
    text: String,
}

/// A place in the trie: where its children are, counted from them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    base: usize,
    has_leaf: bool,
}

/// How far the check has come with a node.
#[derive(Clone, Copy)]
enum Visit {
    New,
    Open,
    Done,
}

fn refuse<T>(what: &str) -> Result<T, TableError> {
    Err(TableError(format!("precompiled charsmap: {what}; take it from the original model again")))
}

impl Charsmap {
    /// Read `data`; an empty map if it is empty.
    pub(super) fn from_bytes(data: &[u8]) -> Result<Self, TableError> {
        if data.is_empty() {
            return Ok(Self::default());
        }
        let Some((size, rest)) = data.split_first_chunk() else {
            return refuse("fewer than 4 bytes");
        };
        let Some((trie, text)) = rest.split_at_checked(u32::from_le_bytes(*size) as usize / 4 * 4)
        else {
            return refuse("the trie is cut short");
        };
        let unit = |b: &[u8]| u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        let Ok(text) = String::from_utf8(text.to_vec()) else {
            return refuse("the replacements are not UTF-8");
        };
        let map = Self { units: trie.chunks_exact(4).map(unit).collect(), text };
        map.check()?;
        Ok(map)
    }

    /// Refuse a trie that leads out of the data, or around in a circle, with keys of any length.
    fn check(&self) -> Result<(), TableError> {
        let Some(root) = self.root() else { return refuse("the trie is empty") };
        // Per place of children: not seen, on the way to the node at hand, done.
        let mut visits = vec![Visit::New; self.units.len()];
        let mut path = vec![(root, 1)];
        self.check_node(root)?;
        visits[root.base] = Visit::Open;
        while let Some((node, label)) = path.last_mut() {
            let base = node.base;
            let child = (*label..=255).find_map(|b| Some((b, self.child(*node, b as u8)?)));
            let Some((b, child)) = child else {
                visits[base] = Visit::Done;
                path.pop();
                continue;
            };
            *label = b + 1;
            self.check_node(child)?;
            match visits[child.base] {
                Visit::New => {
                    visits[child.base] = Visit::Open;
                    path.push((child, 1_u16));
                }
                Visit::Open => return refuse("the trie leads around in a circle"),
                Visit::Done => {}
            }
        }
        Ok(())
    }

    fn check_node(&self, node: Node) -> Result<(), TableError> {
        if node.base | 0xFF >= self.units.len() {
            return refuse("the trie leads out of the data");
        }
        if node.has_leaf && !self.text.is_char_boundary(self.value(node)) {
            return refuse("a leaf does not point at a replacement");
        }
        Ok(())
    }

    /// The node of the empty string.
    pub(super) fn root(&self) -> Option<Node> {
        self.node(0)
    }

    fn node(&self, at: usize) -> Option<Node> {
        let unit = *self.units.get(at)?;
        let offset = (unit >> 10) << ((unit & (1 << 9)) >> 6);
        Some(Node { base: at ^ offset as usize, has_leaf: unit & HAS_LEAF != 0 })
    }

    /// The node one byte on.
    pub(super) fn child(&self, node: Node, byte: u8) -> Option<Node> {
        let at = node.base ^ byte as usize;
        let label = self.units.get(at)? & (IS_LEAF | 0xFF);
        if byte != 0 && label == u32::from(byte) { self.node(at) } else { None }
    }

    fn value(&self, node: Node) -> usize {
        (self.units[node.base] & !IS_LEAF) as usize
    }

    /// What the key that ends at `node` becomes, if one does.
    pub(super) fn replacement(&self, node: Node) -> Option<&str> {
        let rest = node.has_leaf.then(|| &self.text[self.value(node)..])?;
        Some(rest.split('\0').next().unwrap_or(rest))
    }

    /// May a key go on behind `node`?
    pub(super) fn goes_on(&self, node: Node) -> bool {
        (1..=u8::MAX).any(|byte| self.child(node, byte).is_some())
    }

    /// What the shortest key that `text` begins with becomes.
    pub(super) fn shortest(&self, text: &str) -> Option<&str> {
        let mut node = self.root()?;
        for byte in text.bytes() {
            node = self.child(node, byte)?;
            if let Some(replacement) = self.replacement(node) {
                return Some(replacement);
            }
        }
        None
    }
}
