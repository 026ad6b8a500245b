"""Runs of one script, as the pre-tokenizer `UnicodeScripts` of `tokenizers` sees them.

In: nothing. Out: an automaton whose matches are the runs. Its table is that of Unicode 9.0 with a
few characters in other places; Hiragana, Katakana and the prolonged sound mark count as Han. Spaces
and characters that 9.0 does not know belong to no script: they end no run and begin none.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from tokstream.errors import PatternError
from tokstream.patterns.classes import CodePoints, named_property
from tokstream.patterns.determinize import determinize
from tokstream.patterns.nfa import build_nfa
from tokstream.patterns.syntax import Alternation, Chars, Node, Repeat, Sequence

if TYPE_CHECKING:
    from tokstream.patterns.automaton import Automaton

__all__ = ["script_automaton", "script_sets"]

_SCRIPTS = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali
Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian
Chakma Cham Cherokee Common Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Duployan
Egyptian_Hieroglyphs Elbasan Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gurmukhi
Han Hangul Hanunoo Hatran Hebrew Imperial_Aramaic Inherited Inscriptional_Pahlavi
Inscriptional_Parthian Javanese Kaithi Kannada Kayah_Li Kharoshthi Khmer Khojki Khudawadi Lao Latin
Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Malayalam Mandaic Manichaean Marchen
Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani
Myanmar Nabataean New_Tai_Lue Newa Nko Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian
Old_Permic Old_Persian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene
Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian
Siddham SignWriting Sinhala Sora_Sompeng Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le
Tai_Tham Tai_Viet Takri Tamil Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai
Warang_Citi Yi
""".split()  # noqa: SIM905 (a list would fill a page)
# Where the table differs from today's scripts; None: it belongs to no script.
_MOVED: dict[int, str | None] = {
    0x0020: None,
    0x0589: "Common",
    0x061C: "Common",
    0x0953: "Devanagari",
    0x0954: "Devanagari",
    0x30FC: "Han",
}
_VERSION = "age=9.0"


def script_sets() -> dict[str, CodePoints]:
    """Characters of each script."""
    assigned = _property(_VERSION)
    moved = CodePoints.of((point, point) for point in _MOVED)
    sets = {name: (_property(f"script={name}") & assigned) - moved for name in _SCRIPTS}
    for name in ("Hiragana", "Katakana"):
        sets["Han"] = sets["Han"] | ((_property(f"script={name}") & assigned) - moved)
    for point, target in _MOVED.items():
        if target is not None:
            sets[target] = sets[target] | CodePoints.single(point)
    return sets


def script_automaton() -> Automaton:
    """Automaton of the runs, which need not be adjacent."""
    sets = script_sets()
    others = ~reduce(or_, sets.values())
    return determinize(
        build_nfa(Alternation(tuple(_run(s, others) for s in sets.values()), 0)), partial=True
    )


def _run(script: CodePoints, others: CodePoints) -> Node:
    rest = Repeat(Chars(script | others, 0), 0, None, greedy=True, offset=0)
    return Sequence((Chars(script, 0), rest), 0)


def _property(name: str) -> CodePoints:
    points = named_property(name)
    if points is None:
        raise PatternError(f"the native core does not know the Unicode property {name!r}")
    return points
