"""vocab.json with merges.txt: the classes that are known, what stands beside them, what is refused."""

from __future__ import annotations

import json
import pickle
import random
from typing import TYPE_CHECKING, Any

import pytest
from tokenizers import Tokenizer

import tokstream
from data import gpt2_merge_list, gpt2_vocabulary_json, shared_file
from format_texts import generated_texts, random_cuts
from small_pairs import MERGES, SPECIALS, TEXTS, reference, tokens, write_pair
from tokstream.formats.pair.recipes import CLASSES

if TYPE_CHECKING:
    from pathlib import Path

GPT2 = {"tokenizer_class": "GPT2Tokenizer"}
FAMILIES = {
    "GPT2Tokenizer": "gpt2",
    "CodeGenTokenizer": "gpt2",
    "Qwen2Tokenizer": "qwen2",
    "RobertaTokenizer": "roberta",
    "BartTokenizer": "roberta",
    "LongformerTokenizer": "roberta",
    "LEDTokenizer": "roberta",
    "MvpTokenizer": "roberta",
    "DebertaTokenizer": "deberta",
}
FLAGS = dict.fromkeys(("lstrip", "rstrip", "single_word", "normalized"), False)


def check_equal(tokenizer: tokstream.Tokenizer, expected: Tokenizer, texts: list[str]) -> None:
    rng = random.Random(5)
    for text in texts:
        plain = expected.encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text) == plain, text
        whole = expected.encode(text).ids
        assert tokenizer.encode(text, add_special_tokens=True) == whole, text
        stream = tokenizer.stream()
        ids = [k for chunk in random_cuts(rng, text.encode(), 4) for k in stream.feed(chunk)]
        assert ids + stream.finish() == plain, text
        assert tokenizer.decode(plain) == expected.decode(plain, skip_special_tokens=False)


def test_every_known_class_is_tested() -> None:
    assert FAMILIES.keys() == CLASSES.keys()


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("prefix", [False, True])
def test_classes(name: str, prefix: bool, tmp_path: Path) -> None:
    config = {"tokenizer_class": f"{name}Fast" if prefix else name, "add_prefix_space": prefix}
    folder = write_pair(tmp_path / "my-model", tokenizer_config=config)
    tokenizer = tokstream.load(folder)
    facts = tokenizer.info()
    assert (tokenizer.name, facts["format"]) == ("my-model", "vocab.json")
    assert facts["tokenizer_class"] == name
    expected = reference(folder, FAMILIES[name], add_prefix_space=prefix)
    texts = [*TEXTS, *generated_texts(random.Random(name), 60, [*SPECIALS, "<mask>", "[MASK]"])]
    check_equal(tokenizer, expected, texts)
    hf = tokenizer.as_hf()
    assert Tokenizer.from_str(hf.to_str()).encode("he <mask>").ids == hf.encode("he <mask>").ids
    assert hf.encode("<s>hello").tokens == expected.encode("<s>hello").tokens


@pytest.mark.parametrize(
    ("files", "family"),
    [
        ({"tokenizer_config": {"tokenizer_class": "RobertaTokenizerFast"}}, "roberta"),
        ({"config": {"model_type": "gpt_neo"}}, "gpt2"),
        ({"config": {"model_type": "roberta"}, "tokenizer_config": {"max_len": 512}}, "roberta"),
        ({"config": {"model_type": "qwen3"}}, "qwen2"),
        ({"config": {"model_type": "gpt2", "tokenizer_class": "BartTokenizer"}}, "roberta"),
        ({"config": {"model_type": "unheard"}, "tokenizer_config": GPT2}, "gpt2"),
        (
            {"config": {"tokenizer_class": "BartTokenizer"}, "tokenizer_config": GPT2},
            "gpt2",
        ),
    ],
)
def test_the_class_of_the_settings(files: dict[str, Any], family: str, tmp_path: Path) -> None:
    folder = write_pair(tmp_path / "x", **files)
    check_equal(tokstream.load(folder), reference(folder, family), list(TEXTS))


def test_an_argument_names_the_class(tmp_path: Path) -> None:
    folder = write_pair(tmp_path / "x")
    with pytest.raises(
        tokstream.ConfigurationError,
        match=r'names a tokenizer_class or model_type\. pass tokenizer_class="',
    ):
        tokstream.load(folder)
    tokenizer = tokstream.load(folder, tokenizer_class="DebertaTokenizer")
    check_equal(tokenizer, reference(folder, "deberta"), list(TEXTS))
    (folder / "tokenizer_config.json").write_text(json.dumps(GPT2))
    for name in ("Qwen2Tokenizer", "Qwen2TokenizerFast"):
        tokenizer = tokstream.load(folder, tokenizer_class=name)
        check_equal(tokenizer, reference(folder, "qwen2"), list(TEXTS))
    for wrong in ("BertTokenizer", "", "GPT2", 5):
        with pytest.raises(tokstream.ConfigurationError, match="known are GPT2Tokenizer, CodeGen"):
            tokstream.load(folder, tokenizer_class=wrong)  # type: ignore[arg-type]


N = len(tokens())
ADDED = {"<a>": N, "<b> c": N + 1}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        # text: id, and the first letters of what is true of it
        ({"added_tokens": ADDED}, {"<|endoftext|>": "4 s", "<a>": f"{N} n", "<b> c": f"{N + 1} n"}),
        (
            {"added_tokens": ADDED, "tokenizer_config": {"pad_token": "<a>"}},
            {"<|endoftext|>": "4 s", "<a>": f"{N} s", "<b> c": f"{N + 1} n"},
        ),
        (
            {
                "added_tokens": {"<a>": N, "<s>": 0},
                "tokenizer_config": {"additional_special_tokens": ["<a>", "<q>"]},
            },
            {"<s>": "0 n", "<|endoftext|>": "4 s", "<a>": f"{N} s", "<q>": f"{N + 1} s"},
        ),
        (
            {
                "tokenizer_config": {"bos_token": "<s>", "eos_token": None, "unk_token": None},
                "special_tokens_map": {
                    "bos_token": {"content": "</s>", **FLAGS, "lstrip": True},
                    "additional_special_tokens": [{"content": "<q>", **FLAGS, "rstrip": True}],
                },
            },
            {"</s>": "2 ls", "<q>": f"{N} rs"},
        ),
        (
            {
                "tokenizer_config": {
                    "bos_token": None,
                    "unk_token": None,
                    "eos_token": "<e>",
                    "added_tokens_decoder": {
                        str(N + 1): {"content": "<e>", **FLAGS, "special": True, "lstrip": True},
                        str(N): {"content": "<f>", **FLAGS, "single_word": True},
                    },
                },
                "special_tokens_map": {"bos_token": "<not read>"},
                "added_tokens": {"<nor this>": 1},
            },
            {"<f>": f"{N} ", "<e>": f"{N + 1} ls"},
        ),
        (
            {
                "tokenizer_config": {
                    key: {"__type": "AddedToken", "content": text, "normalized": True}
                    for key, text in (
                        ("bos_token", "</s>"),
                        ("eos_token", "</s>"),
                        ("unk_token", "<x>"),
                    )
                }
            },
            {"</s>": "2 ns", "<x>": f"{N} ns"},
        ),
    ],
)
def test_tokens(files: dict[str, Any], expected: dict[str, str], tmp_path: Path) -> None:
    files["tokenizer_config"] = GPT2 | files.get("tokenizer_config", {})
    tokenizer = tokstream.load(write_pair(tmp_path / "x", **files))
    hf = tokenizer.as_hf()
    found = {
        token.content: f"{token_id} "
        + "".join(n[0] for n in ("lstrip", "normalized", "rstrip", "special") if getattr(token, n))
        for token_id, token in hf.get_added_tokens_decoder().items()
    }
    assert found == expected
    for text, facts in expected.items():
        assert tokenizer.encode(f"he {text}")[-1] == int(facts.split()[0])
        assert (text in tokenizer.special_tokens) == ("s" in facts)


def test_what_stands_around_a_text(tmp_path: Path) -> None:
    opt = {"add_bos_token": True, "bos_token": "</s>", "eos_token": "</s>", "unk_token": "</s>"}
    tokenizer = tokstream.load(write_pair(tmp_path / "x", tokenizer_config=GPT2 | opt))
    assert tokenizer.encode("hello", add_special_tokens=True) == [2, *tokenizer.encode("hello")]
    assert tokenizer.eos_id == 2
    roberta = {"tokenizer_class": "RobertaTokenizer", "cls_token": "<C>", "sep_token": "<S>"}
    tokenizer = tokstream.load(write_pair(tmp_path / "y", tokenizer_config=roberta))
    ids = tokenizer.special_tokens
    assert tokenizer.encode("", add_special_tokens=True) == [ids["<C>"], ids["<S>"]]
    hf = tokenizer.as_hf().encode("hello", "he")
    assert hf.tokens == ["<C>", "hello", "<S>", "<S>", "he", "<S>"]


def entry(content: str, **flags: bool) -> dict[str, Any]:
    return {"content": content, **FLAGS, **flags}


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "unknown": (
        {"tokenizer_config": {"tokenizer_class": "WhisperTokenizer"}},
        (
            r"tokenizer_config\.json: \$\.tokenizer_class: the tokenizer class 'WhisperTokenizer'.*"
            r'pass tokenizer_class="\.\.\." if.*GPT2Tokenizer.*save the tokenizer as tokenizer\.json'
        ),
    ),
    "general": (
        {"tokenizer_config": {"tokenizer_class": "PreTrainedTokenizerFast"}},
        "the recipe of this one is not known",
    ),
    "own code": (
        {
            "tokenizer_config": {
                "tokenizer_class": "MyTokenizer",
                "auto_map": {"AutoTokenizer": ["code.MyTokenizer", None]},
            }
        },
        "'MyTokenizer'",
    ),
    "model type": ({"config": {"model_type": "clip"}}, r"config\.json: \$\.model_type: .*'clip'"),
    "two classes": (
        {"tokenizer_config": GPT2, "config": {"model_type": "qwen2"}},
        r'pass tokenizer_class="GPT2Tokenizer" or "Qwen2Tokenizer"',
    ),
    "hole": (
        {"tokenizer_config": GPT2, "added_tokens": {"<a>": N + 5}},
        rf"added_tokens\.json: \$\['<a>'\]: id {N + 5} of .* gives it id {N},",
    ),
    "other id": (
        {"tokenizer_config": GPT2, "added_tokens": {"<s>": N}},
        rf"id {N} of the added token '<s>' .* gives it id 0,",
    ),
    "listed hole": (
        {"tokenizer_config": GPT2 | {"added_tokens_decoder": {"9999": entry("<a>")}}},
        rf"added_tokens_decoder\['9999'\]: id 9999 .* gives it id {N},",
    ),
    "end": ({"tokenizer_config": GPT2 | {"add_eos_token": True}}, r"\$\.add_eos_token"),
    "role": ({"tokenizer_config": GPT2 | {"image_token": "<i>"}}, "'image_token'"),
    "names": ({"tokenizer_config": GPT2 | {"extra_special_tokens": {"a": "<i>"}}}, "with names"),
    "two kinds": (
        {
            "tokenizer_config": GPT2
            | {"bos_token": entry("<s>"), "eos_token": entry("<s>", lstrip=True)}
        },
        "other flags than in another role",
    ),
    "cls": (
        {"tokenizer_config": {"tokenizer_class": "DebertaTokenizer", "cls_token": "<s>"}},
        r"another cls_token than '\[CLS\]'",
    ),
    "plain": (
        {"tokenizer_config": GPT2 | {"split_special_tokens": True}},
        "asked for in each call",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path) -> None:
    files, message = REFUSED[name]
    folder = write_pair(tmp_path / "x", **files)
    with pytest.raises(tokstream.UnsupportedTokenizerError, match=message) as caught:
        tokstream.load(folder)
    assert caught.value.place is not None
    assert caught.value.place.startswith("$")
    assert str(caught.value.path).startswith(str(folder))


DAMAGED: dict[str, tuple[str, str | bytes, str]] = {
    "one field": ("merges.txt", "#version: 0.2\nh e\n\nll\n", r"merges\.txt:4: 'll' is not two"),
    "three fields": ("merges.txt", "h e l\n", r"merges\.txt:1: 'h e l' is not two tokens"),
    "two spaces": ("merges.txt", "h e\nh  e\n", r"merges\.txt:2: "),
    "empty field": ("merges.txt", "h e\r\nh \r\n", r"merges\.txt:2: 'h ' is not two tokens"),
    "unknown part": ("merges.txt", "h e\nh ee\n", r"merges\.txt:2: the merge of 'ee', which is not"),
    "unknown whole": ("merges.txt", "h e\ne e\n", r"merges\.txt:2: the merge makes 'ee', which"),
    "no UTF-8": ("merges.txt", b"h e\nl l\n\xffl l\n", r"merges\.txt:3: byte 8 of the file is not"),
    "not JSON": ("vocab.json", '{"a": 0,', r"vocab\.json: not JSON at byte 8"),
    "a list": ("vocab.json", '["a"]', r"vocab\.json: \$ is a list, expected an object"),
    "no tokens": ("vocab.json", "{}", r"vocab\.json: \$ has no tokens"),
    "an id that is none": ("vocab.json", '{"a": 0, "b": "1"}', r"\$\['b'\] is '1', expected a whole"),
    "a fraction": ("vocab.json", '{"a": 0.5}', r"\$\['a'\] is 0\.5, expected a whole number"),
    "negative": ("vocab.json", '{"a": -1}', r"\$\['a'\] is -1, outside"),
    "twice": ("vocab.json", '{"a": 1, "b": 1}', r"gives id 1 to 'a' and to 'b'"),
    "surrogate": ("vocab.json", '{"\\ud800": 1}', "lone surrogate"),
    "another file": ("vocab.json", '{"model": {"type": "BPE", "vocab": {}, "merges": []}}', "is a Hugging Face tokenizer.json"),
    "LFS": ("vocab.json", "version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"),
    "settings": ("tokenizer_config.json", "[]", r"tokenizer_config\.json: \$ is a list"),
    "settings cut": ("special_tokens_map.json", '{"a', r"special_tokens_map\.json: not JSON"),
    "flag": ("tokenizer_config.json", '{"add_prefix_space": "yes"}', r"\$\.add_prefix_space is 'yes'"),
    "token": ("tokenizer_config.json", '{"bos_token": 5}', r"\$\['bos_token'\] is 5, expected a string"),
    "token without text": ("tokenizer_config.json", '{"bos_token": {}}', r"\$\['bos_token'\] has no 'content'"),
    "list": ("tokenizer_config.json", '{"additional_special_tokens": "x"}', r"is 'x', expected a list"),
    "key": ("tokenizer_config.json", '{"added_tokens_decoder": {"x": {}}}', "under a key that is no id"),
    "added": ("added_tokens.json", '{"<a>": "x"}', r"added_tokens\.json: \$\['<a>'\] is 'x'"),
    "class": ("tokenizer_config.json", '{"tokenizer_class": 5}', r"\$\.tokenizer_class is 5"),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged(name: str, tmp_path: Path) -> None:
    file, content, message = DAMAGED[name]
    folder = write_pair(tmp_path / "x", config={"model_type": "gpt2"})
    data = content if isinstance(content, bytes) else content.encode()
    (folder / file).write_bytes(data)
    with pytest.raises(tokstream.VocabularyError, match=message) as caught:
        tokstream.load(folder)
    assert caught.value.path == str(folder / file)
    if file == "merges.txt":
        assert f"merges.txt:{caught.value.line}: " in str(caught.value)


@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
def test_odd_lists_of_merges(ending: bytes, tmp_path: Path) -> None:
    folder = write_pair(tmp_path / "x", tokenizer_config=GPT2)
    expected = tokstream.load(folder)
    lines = [merge.encode() for merge in MERGES]
    for data in (
        ending.join(lines),
        b"\xef\xbb\xbf#version: 0.2" + ending + ending.join(lines),
        ending.join([*lines, b"#version of another kind", b"", b""]),
    ):
        (folder / "merges.txt").write_bytes(data)
        found = tokstream.load(folder)
        assert [found.encode(text) for text in TEXTS] == [expected.encode(text) for text in TEXTS]


def test_two_files(tmp_path: Path) -> None:
    folder = write_pair(tmp_path / "x", tokenizer_config=GPT2)
    whole = tokstream.load(folder)
    vocab, merges = folder / "vocab.json", folder / "merges.txt"
    for tokenizer in (
        tokstream.load(vocab),
        tokstream.load(vocab, merges=merges),
        tokstream.load(str(vocab), merges=str(merges), tokenizer_class="GPT2Tokenizer", name="x"),
        tokstream.load(
            vocab.read_bytes(),
            merges=merges.read_bytes(),
            tokenizer_class="GPT2Tokenizer",
            name="x",
        ),
        tokstream.load(vocab, merges=merges.read_bytes(), name="x"),
    ):
        assert tokenizer == whole
        assert tokenizer.name == "x"
        for text in TEXTS:
            assert tokenizer.encode(text) == whole.encode(text)
            assert tokenizer.as_hf().encode(text).ids == whole.encode(text)
        again = pickle.loads(pickle.dumps(tokenizer))
        assert again == tokenizer
        assert again.as_hf().encode("hello").tokens == ["hello"]
    old = tmp_path / "old"
    old.mkdir()
    vocab.rename(old / "encoder.json")
    merges.rename(old / "vocab.bpe")
    with pytest.raises(
        tokstream.VocabularyError, match=r"load\('.*encoder\.json', merges='.*vocab"
    ) as caught:
        tokstream.load(old)
    written = str(caught.value).partition("; write ")[2]
    assert eval(written, {"tokstream": tokstream}).encode("hello") == whole.encode("hello")
    for file in ("encoder.json", "vocab.bpe"):
        with pytest.raises(tokstream.VocabularyError, match="it goes with another file"):
            tokstream.load(old / file)
    (old / "encoder.json").rename(old / "vocab.json")
    with pytest.raises(tokstream.VocabularyError, match=r"holds vocab\.json without merges\.txt"):
        tokstream.load(old)


def test_options_of_other_formats(tmp_path: Path) -> None:
    folder = write_pair(tmp_path / "x", tokenizer_config=GPT2)
    for options in ({"pattern": "x"}, {"special_tokens": {"<x>": 1}}):
        with pytest.raises(tokstream.ConfigurationError, match="is for rank files; the class of"):
            tokstream.load(folder, **options)
    (folder / "tokenizer.json").write_text(tokstream.load(folder).as_hf().to_str())
    assert tokstream.load(folder).info()["format"] == "tokenizer.json"
    assert tokstream.load(folder / "vocab.json").info()["format"] == "vocab.json"
    with pytest.raises(tokstream.ConfigurationError, match=r"tokenizer_class is for vocab\.json"):
        tokstream.load(folder, tokenizer_class="GPT2Tokenizer")
    with pytest.raises(tokstream.VocabularyError, match=r"tokenizer\.json.*without merges"):
        tokstream.load(folder / "tokenizer.json", merges=folder / "merges.txt")


def test_what_changed_is_noticed(tmp_path: Path) -> None:
    # a vocabulary of its own: what another tokenizer has read is not read again
    folder = write_pair(tmp_path / "x", tokens("<only here>"), tokenizer_config=GPT2)
    tokenizer = tokstream.load(folder)
    (folder / "added_tokens.json").write_text(json.dumps({"<a>": N + 1}))
    with pytest.raises(tokstream.VocabularyError, match="has changed since it was loaded"):
        tokenizer.as_hf()
    (folder / "vocab.json").unlink()
    with pytest.raises(tokstream.ConfigurationError, match="cannot be read"):
        tokenizer.as_hf()


def test_gpt2(tmp_path: Path) -> None:
    (tmp_path / "vocab.json").write_bytes(gpt2_vocabulary_json())
    (tmp_path / "merges.txt").write_bytes(gpt2_merge_list())
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    tokenizer = tokstream.load(tmp_path)
    assert tokenizer.n_vocab == 50257
    embedded = tokstream.get_encoding("gpt2")
    texts = list(generated_texts(random.Random(2), 100, ["<|endoftext|>"]))
    for text in texts:
        assert tokenizer.encode(text) == embedded.encode(text, allowed_special="all")
    check_equal(tokenizer, reference(tmp_path, "gpt2"), texts[:50])


def test_qwen3_in_two_files(tmp_path: Path) -> None:
    published = shared_file("vocab/qwen3/tokenizer.json")
    if published is None:
        pytest.skip("Qwen 3's tokenizer.json is not beside the repository")
    document = json.loads(published.read_text("utf-8"))
    model = document["model"]
    merges = [m if isinstance(m, str) else " ".join(m) for m in model["merges"]]
    (tmp_path / "vocab.json").write_text(json.dumps(model["vocab"]))
    (tmp_path / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), "utf-8")
    listed = {str(token.pop("id")): token for token in document["added_tokens"]}
    config = {"tokenizer_class": "Qwen2Tokenizer", "added_tokens_decoder": listed}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config))
    tokenizer, expected = tokstream.load(tmp_path), tokstream.load(published)
    added = [token["content"] for token in listed.values()]
    for text in generated_texts(random.Random(3), 200, added):
        assert tokenizer.encode(text) == expected.encode(text)
    assert tokenizer.special_tokens == expected.special_tokens
