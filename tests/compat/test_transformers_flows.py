"""What programs do with a tokenizer of transformers, from end to end: the same with tokstream.

Questions and the windows of a long text, labels of words, chats within a budget, text that is
streamed, chunks for retrieval, rows for fine-tuning. No model is needed for any of it.
"""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from format_texts import generated_texts
from transformers_small import assert_same, plain

pytest.importorskip("transformers", minversion="5")

from transformers import DataCollatorForSeq2Seq, TextStreamer

from tokstream.integrations.transformers import accelerate

if TYPE_CHECKING:
    from pathlib import Path

FILLER = "the hello world is of the \u6f22\u5b57, na\u00efve \U0001f642 and so on. "


@pytest.fixture
def both(tmp_path: Path) -> tuple[Any, Any]:
    """The same tokenizer, with tokstream and without."""
    return accelerate(plain(tmp_path)), plain(tmp_path)


@pytest.mark.parametrize("side", ["right", "left"])
def test_answers_are_found_in_windows_of_a_long_text(both: tuple[Any, Any], side: str) -> None:
    answer = "the answer \u00e9t\u00e9"
    context = FILLER * 6 + answer + FILLER * 6
    begin = context.index(answer)
    options = {
        "truncation": "only_second",
        "max_length": 90,
        "stride": 40,
        "return_overflowing_tokens": True,
        "return_offsets_mapping": True,
        "padding": "max_length",
        "padding_side": side,
    }
    questions = ["what is hello?", "and the other, where?"]
    got, expected = (t(questions, [context, FILLER], **options) for t in both)
    assert_same(got, expected)
    recovered = []
    for k, sample in enumerate(got["overflow_to_sample_mapping"]):
        sequences = got.sequence_ids(k)
        assert sequences == expected.sequence_ids(k)
        places = got["offset_mapping"][k]
        of_context = [n for n, sequence in enumerate(sequences) if sequence == 1]
        if sample or places[of_context[0]][0] > begin:
            continue
        if places[of_context[-1]][1] < begin + len(answer):
            continue
        inside = [
            n for n in of_context if places[n][0] < begin + len(answer) and places[n][1] > begin
        ]
        recovered.append(context[places[inside[0]][0] : places[inside[-1]][1]].strip())
    assert recovered
    assert set(recovered) == {answer}


def test_labels_of_words_go_to_their_first_tokens(both: tuple[Any, Any]) -> None:
    words = ["hello", "worldwide", "the", "\u6f22\u5b57", "na\u00efvely", ""]
    got, expected = (t([words, words[:2]], is_split_into_words=True) for t in both)
    for k in range(2):
        ids = got.word_ids(k)
        assert ids == expected.word_ids(k)
        first = [word for word, _ in itertools.groupby(ids) if word is not None]
        assert first == [n for n, word in enumerate((words, words[:2])[k]) if word]


def test_a_chat_within_a_budget(both: tuple[Any, Any]) -> None:
    pytest.importorskip("jinja2")
    ours, peer = both
    chat = [{"role": "system", "content": "be brief"}]
    for k in range(3):
        chat += [
            {"role": "user", "content": f"hello number {k}"},
            {"role": "assistant", "content": f"the answer {k} is 42"},
        ]

    def n_tokens(tokenizer: Any) -> int:
        text = tokenizer.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        return len(tokenizer(text, add_special_tokens=False)["input_ids"])

    budget = n_tokens(peer) - 1
    while n_tokens(ours) > budget:
        assert n_tokens(ours) == n_tokens(peer)
        del chat[1:3]
    assert len(chat) == 5
    prompts = [
        t.apply_chat_template(
            [chat, chat[:1]], add_generation_prompt=True, padding=True, return_dict=True
        )
        for t in both
    ]
    assert_same(*prompts)


def test_text_that_is_streamed(both: tuple[Any, Any]) -> None:
    _, peer = both
    pieces: list[str] = []

    class Streamer(TextStreamer):  # type: ignore[misc,unused-ignore]
        def on_finalized_text(self, text: str, *_: Any, **__: Any) -> None:
            pieces.append(text)

    text = "hello \u6f22\u5b57 \U0001f642\U0001f44d\U0001f3fd na\u00efve\nthe world"
    ids = peer(text, add_special_tokens=False)["input_ids"]
    found = []
    for tokenizer in both:
        pieces.clear()
        streamer = Streamer(tokenizer, skip_prompt=True, skip_special_tokens=True)
        streamer.put(np.array([ids[:2]]))
        for token_id in [*ids[2:], tokenizer.eos_token_id]:
            streamer.put(np.array([token_id]))
        streamer.end()
        assert "".join(pieces) == tokenizer.decode(ids[2:])
        found.append(list(pieces))
    assert found[0] == found[1]


def test_chunks_of_a_document_are_parts_of_it(both: tuple[Any, Any]) -> None:
    rng = random.Random(8)
    for document in (FILLER * 20, *generated_texts(rng, 20, ("the", "hello", "\u6f22"))):
        found = []
        for tokenizer in both:
            encoding = tokenizer(document, add_special_tokens=False, return_offsets_mapping=True)
            places = encoding["offset_mapping"]
            windows = [places[at : at + 24] for at in range(0, len(places), 24)]
            found.append([(window[0][0], window[-1][1]) for window in windows])
        spans = found[0]
        assert spans == found[1]
        if spans:
            assert spans[0][0] <= len(document) - len(document.lstrip())
            assert spans[-1][1] >= len(document.rstrip())
        assert all(a[1] <= b[0] + 1 for a, b in itertools.pairwise(spans))


def test_rows_for_fine_tuning(both: tuple[Any, Any]) -> None:
    batches = []
    for tokenizer in both:
        rows = []
        for k in range(4):
            prompt = tokenizer(f"<s>user: hello {k}</s>", add_special_tokens=False)["input_ids"]
            reply = tokenizer(f"the answer {k}" * (k + 1) + "</s>", add_special_tokens=False)
            row = {
                "input_ids": prompt + reply["input_ids"],
                "labels": [-100] * len(prompt) + reply["input_ids"],
            }
            rows.append(row)
        collate = DataCollatorForSeq2Seq(
            tokenizer, label_pad_token_id=-100, return_tensors="np", pad_to_multiple_of=8
        )
        batches.append(collate(rows))
    assert_same(*batches)
    assert batches[0]["input_ids"].shape == batches[0]["labels"].shape


def test_targets_of_translations(both: tuple[Any, Any]) -> None:
    options = {"max_length": 7, "truncation": True}
    got, expected = (t(["hello"], text_target=["the world"], **options) for t in both)
    assert_same(got, expected)
