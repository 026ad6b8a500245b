r"""How tokstream works, as plain Python: each stage and definition under its published name.

Enters: chunks of text, cut anywhere. Leaves: token ids, as soon as nothing that follows can change
them. Held back: what is still undecided.

This package is to be read, and to be compared with: it is the oracle of the tests. It has no
dependencies and shares no code with the native engine, which never imports it.

One character on its way, with the file in which it happens:

1. `chunks`: é arrives as two bytes, one at the end of a chunk, one in the next. Chunks holds the
   first and gives out the character.
2. `segments`: no special token begins with é, so it goes on at once. A `<` would have to wait
   until it is clear that it does not begin `<|endoftext|>`.
3. `pretokens`: the pattern's automaton reads it. "café" may still become "cafés", but é surely
   belongs to the same pretoken as "caf". The blank behind it is where the pretoken is cut.
4. `tokens`: merges inside the pretoken so far give a last token for each prefix. As long as a
   token that ends further on could take é in, nothing from there on is certain; what all the
   possible ends have in common goes out.

`stream` joins the four and owns the state. `merges` has what stage 4 knows about the vocabulary,
`offsets` leads from places in the text back to bytes of the source. `cutq` is what stage 3 keeps
while the end of a pretoken may still move.

Stages 3 and 4 are joined in one of two ways: by `composition`, each waiting for the one before, or
as `adaptive`, which gives out what all futures have in common also while the pretoken itself is
undecided. So its delay does not depend on the pattern.

>>> from tokstream.patterns import compile_pattern
>>> from tokstream.reference import Chunks, MergeRules, Pretokens, Segments, Tokens
>>> chunks, segments = Chunks(), Segments({"<end>": 300})
>>> pretokens = Pretokens(compile_pattern(r"\w+|[^\w]"))
>>> tokens = Tokens(MergeRules([bytes((i,)) for i in range(256)] + [b"\xc3\xa9", b"f\xc3\xa9"]))

>>> chunks.push(b"caf\xc3"), chunks.push(b"\xa9 ")
('caf', 'é ')
>>> segments.push("café ")
['café ']
>>> pretokens.push("café"), pretokens.push(" ")
(['café'], [CUT, ' ', CUT])
>>> tokens.push("caf")              # c and a are certain, f may become part of fé
[99, 97]
>>> tokens.push("é")
[257]

Tokenizers that are no rank files may have more stages. `added` finds their added tokens, before and
behind the normalizer; `normalize` is that normalizer, with `forms` for those of Unicode; `cascade`
is several patterns in a row; with `expansion` vocabularies of characters merge like those of bytes.
`pipeline` joins them all.

Notation. Σ* all texts, ε the empty one, x ⪯ y "x is a prefix of y". For a function f from texts to
sequences, a *stable prefix* of f at x is one that f(xy) has for every y; f⪯(x) is the longest.
Seg cuts at special tokens, Split into pretokens, Merge into tokens; Tok is all three in turn. Each
stage here gives out its f⪯ after every push (zero delay).

The theory, one file each; the first is where to begin.

| file | what | published as |
|---|---|---|
| `definitions` | Seg, Split, Tok, stable prefix, delay, by brute force | Definitions 4.1 to 4.4 |
| `lemmas` | the facts about Merge and Split that the algorithms rest on | Lemmas 4.20, 4.23 |
| `rulelists` | Merge in three readings, and when they agree | Definition 4.4; properness |
| `automata` | deterministic and not; lookback b(R) | Definition 4.3, Lemma 4.20 |
| `segments` | Seg without delay | Lemma 4.16 |
| `cqueue` | transition functions in two stacks; fast pretokenization | Lemmas 2.2 and 4.17 |
| `cutq` | the split of all that was read | Lemma 5.4 |
| `batch` | merge: naive, heap, backtracking | |
| `forest` | last token of each prefix, first of each suffix | Jiang and Gong |
| `windows` | eager output: three windows, common ancestors | Lemma 4.18 |
| `composition` | stage by stage | Theorems 1.2 and 1.6 |
| `optimal` | bpeQ, incBPE, optimal delay by a threshold | Lemmas 2.3 and 2.4, Theorem 1.7 |
| `adaptive` | optimal delay in a form that is of use | Theorem 1.7 |
| `families` | where nothing can be given out | Theorems 1.1, 1.5, 1.6, 4.24, Claim 4.25 |

Sources: Dalirrooyfard and Ye, arXiv:2610.19139; Jiang and Gong, arXiv:2605.30813.
"""

from tokstream.reference.adaptive import Adaptive
from tokstream.reference.chunks import Chunks
from tokstream.reference.composition import Composition
from tokstream.reference.merges import MergeRules
from tokstream.reference.pretokens import CUT, Cut, Pretokens
from tokstream.reference.segments import Segments, SpecialToken
from tokstream.reference.stream import Stream
from tokstream.reference.tokens import Tokens

__all__ = [
    "CUT",
    "Adaptive",
    "Chunks",
    "Composition",
    "Cut",
    "MergeRules",
    "Pretokens",
    "Segments",
    "SpecialToken",
    "Stream",
    "Tokens",
]
