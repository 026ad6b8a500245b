"""Texts that broke tokenizers, scaled to a few kilobytes; and longer ones.

Enters: nothing. Leaves: tables of texts by name. Most come from reports about other tokenizers:
runs that exhaust a stack or a backtracking limit, blanks of many kinds, marks, contractions,
text that spells special tokens or the beginning of one.
"""

from __future__ import annotations

import json
import random
import unicodedata
from itertools import groupby

__all__ = ["INVALID_BYTES", "LONG_TEXTS", "MAX_SHORT_BYTES", "SURROGATE_TEXTS", "TEXTS"]

MAX_SHORT_BYTES = 4096
"""No text in `TEXTS` is longer in UTF-8."""

_FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
_THAI = "ภาษาไทยเป็นภาษาที่เขียนติดกันโดยไม่มีช่องว่างระหว่างคำ"
_SPACES = "\t\v\f \x85\xa0\u1680\u2000\u2003\u2007\u200a\u2028\u2029\u202f\u205f\u3000"
_ZALGO = "Z\u0351\u036b\u0343\u036a\u0302A\u034c\u0321\u034aL\u0354\u0340\u033fG\u0313\u0307O\u0304"


def _mark_ranges() -> str:
    """Marks as a character class spells them, `first-last` after `first-last`."""
    points = [p for p in range(0x10000) if unicodedata.category(chr(p)).startswith("M")]
    runs = [
        [p for _, p in run] for _, run in groupby(enumerate(points), lambda pair: pair[1] - pair[0])
    ]
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in runs)


def _json(n_fields: int) -> str:
    fields = {
        f"field_{k}": {"type": "string", "minLength": k, "pattern": "^[a-z]+$", "enum": [None, k]}
        for k in range(n_fields)
    }
    return json.dumps(fields, separators=(",", ":"))


def _letters(n: int, alphabet: str, seed: int) -> str:
    return "".join(random.Random(seed).choices(alphabet, k=n))


def _marked_up(n: int, seed: int) -> str:
    """Contractions, letters, blanks, digits and marks in a random order, none of them rare."""
    parts = ["'s", "'LL", "'re", "'", "a", "Bc", "ſ", "é", "e\u0301", " ", "  ", "\t", "\n", "\r\n"]
    parts += ["\xa0", "1", "23", "²", "!", "//", "漢", "\u200d", "\U0001f600", "ǅ", "ʰ", "\u0903"]
    return "".join(random.Random(seed).choices(parts, k=n))


_RUNS = {
    "a": "a",
    "A": "A",
    "caret": "^",
    "dash": "-",
    "underscore": "_",
    "exclamation": "!",
    "equals": "=",
    "slash": "/",
    "apostrophe": "'",
    "digit": "7",
    "arabic digit": "٣",
    "space": " ",
    "tab": "\t",
    "newline": "\n",
    "carriage return": "\r",
    "CR LF": "\r\n",
    "no-break space": "\xa0",
    "ideographic space": "\u3000",
    "line separator": "\u2028",
    "next line": "\x85",
    "NUL": "\0",
    "han": "漢",
    "two han": "漢字",
    "hangul": "가나다",
    "thai": _THAI,
    "acute e": "é",
    "e and combining acute": "e\u0301",
    "combining acute": "\u0301",
    "zero-width joiner": "\u200d",
    "variation selector": "\ufe0f",
    "family": _FAMILY,
    "flag": "\U0001f1e9\U0001f1ea",
    "keycap": "7\ufe0f\u20e3",
    "emoji": "\U0001f600",
    "title case": "ǅ",
    "modifier letter": "ʰ",
    "byte-order mark": "\ufeff",
    "replacement": "\ufffd",
    "last code point": "\U0010ffff",
    "unassigned": "\u0378",
}

TEXTS: dict[str, str] = {
    "empty": "",
    **{f"one {name}": unit for name, unit in _RUNS.items()},
    **{f"run of {name}": unit * (600 // len(unit.encode())) for name, unit in _RUNS.items()},
    # runs of blanks and what ends them
    "blanks then letter": " " * 300 + "a",
    "letter, blanks, letter": "foo" + " " * 300 + "bar",
    "blanks then newline": " " * 300 + "\n",
    "blanks, newline, letter": " " * 300 + "\nx",
    "newline then blanks": "\n" + " " * 300,
    "newline, blanks, letter": "\n" + " " * 300 + "x",
    "newline, blanks, newline": "\n" + " " * 300 + "\n",
    "many newlines then letter": "\n" * 300 + "x",
    "many newlines, blank, letter": "\n" * 300 + " x",
    "blank lines with blanks": " \n\t" * 200 + "x",
    "trailing blanks": "word  ",
    "trailing blank lines": "word \t\n\n  ",
    "indented": "if x:\n\ty\n        z\r\n\r\n\t\t  w\n",
    "six tabs": "\t" * 6 + "test",
    "all kinds of blank": "".join(f"{a}x{a}{a}y{a}\n" for a in _SPACES),
    "pairs of blanks": "".join(a + b for a in _SPACES for b in _SPACES),
    "pairs of blanks between words": "".join(f"w{a}{b}" for a in _SPACES[::2] for b in _SPACES),
    "blanks and line ends": "".join(f"{a}\n{a}{a}\r\n.{a}\r" for a in _SPACES),
    "new turn": "<think>\n\n</think>\n\n",
    # words, contractions, letter case
    "contraction": "You should've done this",
    "contractions": "I'm you're HE'LL we'Ve 'twas o'clock'd it's'nt don't'll 'S'T'RE'VE'M'LL'D x'",
    "folded contractions": "'ſ it'ſ 'K\u212a a'\u017f b'S\u017fs 'ſt 'Lſ",
    "apostrophe kinds": "it's it’s its' 'it' ''it'' '1 'é ' s '\ns '\xa0s",
    "letter case": "HTMLParser iPhone eBAY XMLHttpRequest ǅungla ΑΒΓδεζ ДАда İstanbul ßS ﬁn ʰA",
    "unusual letters": "ªºʰʲ ـ 々〆 ㅤ ℵ ℓ ⅷ Ⅷ ꜱ 𝒜𝒷 𝟘𝟙 ﷽ ⓐ ㈠ ½ ² ٣ ໑ 〇",
    "mixed scripts": "Hello world! Café déjà vu — 123 😊",
    "camel case in han": "漢A字bC漢d字",
    "snake case": "some_long_identifier__with___underscores____",
    "dots": ".data ..data ...data .5 5. 1.5e-10",
    "numbers": "1 12 123 1234 12345 1234567890123 1,234,567.89 ٣٤٥ 1²3 ½1 0x1F",
    "digits": "1234567890" * 40,
    "punctuation": "!@# <ACTION_1><ACTION_2> #### **bold** `x` --- [] {} () ;; :: // \\\\",
    "slashes and line ends": "a//\n//\r\n / /\n/ !!\n\n/ https://x.y/z//\n",
    "punctuation then line ends": "x!\n\n\n y?\r\n\r\n z...\n \n",
    "right to left": "שלום עולם، مرحبا بالعالم \u200f123\u200e abc",
    "indic": "नमस्ते दुनिया क्ष्म ஸ்ரீ বাংলা ক্ষ",
    "hidden characters": "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg\u034fh",
    "byte-order mark inside": "\ufeffBOM at first\ufeff and inside",
    "controls": "".join(map(chr, range(32))) + "\x7f\x80\x8f\x9f",
    "NUL between digits": "\x00123,456\x00",
    "odd bytes": "¯\x8fব",
    "mojibake": "ï¼¿ï¼\x8fâ\x94",
    "private use": "\ue000\ue001x\uf8ff \U000f0000\U0010fffd",
    "noncharacters": "\ufdd0\ufffe\uffff\U0001ffff x\uffffy",
    "new scripts": "\U000105c0\U00010d40 \U00011bc0 \ua7cb\u1c89 \U0001cc00 \u0378\u0530",
    "zalgo": _ZALGO * 12,
    "mark first": "\u0301a \u0301\n\u0301 1\u0301",
    "mark ranges": _mark_ranges()[:1500],
    "families": f"{_FAMILY} {_FAMILY}{_FAMILY}\n" * 8,
    "emoji kinds": "👍🏽 ✌️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿 🇩🇪🇫🇷 #️⃣ ❤️‍🔥 ☺ ☺️",
    "thai and latin": (_THAI + " ok ") * 3,
    # repetitive and random
    "jibber-jabber": "jibber-jabber " * 40,
    "context": "context " * 60,
    "counting": "".join(f"{k} {k} " for k in range(150)),
    "minified json": _json(12),
    "random letters": _letters(600, "abcdefghijklmnopqrstuvwxyz", 1),
    "random upper and lower": _letters(600, "abcXYZ", 2),
    "random base64": _letters(600, "ABCDEFGHabcdefgh0123456789+/", 3),
    "random hex": _letters(600, "0123456789abcdef", 4),
    "random blanks": _letters(500, " \n\t\r\xa0\u3000x", 5),
    "random line ends": _letters(500, "  \n\r/!", 6),
    "random mixture": _marked_up(400, 7),
    "random mixture again": _marked_up(400, 8),
    "random code points": "".join(
        chr(p) for p in random.Random(9).choices([*range(0xD800), *range(0xE000, 0x110000)], k=250)
    ),
    # special tokens and what looks like them
    "special between letters": "A<|endoftext|>B<|endoftext|>C",
    "special alone": "<|endoftext|>",
    "specials in a row": "<|endoftext|><|endofprompt|><|fim_prefix|><|fim_middle|><|fim_suffix|>",
    "special cut short": "foo<|endoftext|",
    "special almost": "<|endoftext|<|endoftext|><|endofte<|endofprompt|xt|> <|fim_|> <|<|<",
    "special with blanks": "text <|endoftext|> space text\n<|endoftext|>\n\n  <|endoftext|>  ",
    "harmony": "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>",
    "harmony shared id": "<|endofprompt|>a<|reserved_200018|>b<|reserved_201087|><|reserved_2000",
    "special inside marks": "\u0301<|endoftext|>\u0301 é<|endoftext|>漢",
}

assert all(len(text.encode()) <= MAX_SHORT_BYTES for text in TEXTS.values())

LONG_TEXTS: dict[str, str] = {
    **{
        f"long run of {name}": _RUNS[name] * (30_000 // len(_RUNS[name].encode()))
        for name in ("a", "dash", "space", "newline", "CR LF", "digit", "han", "family")
    },
    "long letters, blanks, letters": "foo" + " " * 20_000 + "bar",
    "long newline, blanks": "\n" + " " * 20_000 + "x",
    "special behind a long segment": "x" + "z" * 9_000 + "<|endoftext|>" + "y" * 9_000,
    "long json": _json(300),
    "long random letters": _letters(30_000, "abcdefghijklmnopqrstuvwxyz", 11),
    "long random mixture": _marked_up(12_000, 12),
    "long thai": _THAI * 180,
    "long combining": "e\u0301" * 10_000,
    "long mark ranges": _mark_ranges() * 6,
    "long blanks and line ends": " \n\t" * 8_000 + "x",
}

SURROGATE_TEXTS: dict[str, str] = {
    "pair": "\ud83d\udc4d",
    "pair between letters": "a\ud83d\udc4db",
    "high alone": "\ud83d",
    "low alone": "\udc4d",
    "private high alone": "\udbc0",
    "high at the end": "word \ud83d",
    "high before a letter": "\ud83dx",
    "low first": "\udc4d\ud83d",
    "two highs": "\ud83d\ud83d\udc4d",
    "two lows": "\ud83d\udc4d\udc4d",
    "high, blank, low": "\ud83d \udc4d",
    "pairs and characters": "\U0001f44d\ud83d\udc4d\U0001f44d\ud83d\udc4d\ud83d",
    "highest pair": "\udbff\udfff",
    "lowest pair": "\ud800\udc00",
    "edges": "\ud7ff\ud800\udbff\udc00\udfff\ue000",
    "inside a word": "surro\ud800gate wo\udfffrd",
    "among blanks": "  \ud800  \n\udc00 \n",
    "around a special": "\ud800<|endoftext|>\udc00 <|endof\ud800text|>",
    "many": "".join(random.Random(13).choices("a \n\ud83d\udc4d\ud800\udfff漢\U0001f44d", k=300)),
}

INVALID_BYTES: dict[str, bytes] = {
    "lone continuation": b"a\x80b",
    "many continuations": b"\x80\xbf\x80\xbf",
    "never a lead": b"\xff\xfe\xc0\xc1\xf5\xff",
    "cut two-byte": b"caf\xc3",
    "cut two-byte, letter": b"caf\xc3x",
    "cut three-byte": b"\xe6\xbc",
    "cut three-byte, letter": b"\xe6\xbcz\xe6z",
    "cut four-byte": b"Hello world \xf0\x9f\x8c",
    "cut four-byte, letter": b"\xf0\x9f\x99x\xf0\x9fx\xf0x",
    "cut four-byte, four-byte": b"\xf0\x9f\x99\xf0\x9f\x99\x82",
    "overlong": b"\xc0\xaf\xe0\x80\xaf\xf0\x80\x80\xaf",
    "surrogates": b"\xed\xa0\xbd\xed\xb1\x8d",
    "beyond the last": b"\xf4\x90\x80\x80\xf7\xbf\xbf\xbf",
    "inside blanks": b"  \xff  \n\xff\n",
    "inside a special": b"<|endof\xfftext|><|endoftext|>\xff<|endoftext\xff|>",
    "latin-1": "déjà vu ça".encode("latin-1"),
    "utf-16": "déjà vu".encode("utf-16"),
    "random": random.Random(14).randbytes(300),
    "random leads": bytes(
        random.Random(15).choices(b"a \x80\x9f\xbf\xc3\xe2\xed\xf0\xf4\xff", k=300)
    ),
}
