"""What people write with tokenizers of transformers; each function is a snippet."""

from __future__ import annotations

import tempfile

from snippet_texts import CODE, DOCUMENT, MESSAGES, SENTENCES
from transformers import AutoTokenizer, PreTrainedTokenizerFast

import tokstream

PRELUDE = "from tokstream.integrations.transformers import install; install()"
# data only: GPT-2 as a model's directory has it
_CHAT = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}<|endoftext|>"
    "{% endfor %}{% if add_generation_prompt %}assistant: {% endif %}"
)
_MADE = PreTrainedTokenizerFast(
    tokenizer_object=tokstream.get_encoding("gpt2").as_hf(),
    bos_token="<|endoftext|>",
    eos_token="<|endoftext|>",
    pad_token="<|endoftext|>",
    chat_template=_CHAT,
)
FOLDER = tempfile.mkdtemp()
_MADE.save_pretrained(FOLDER)
TOKENIZER = AutoTokenizer.from_pretrained(FOLDER)
IDS = TOKENIZER.encode(DOCUMENT)


def a_sentence() -> object:
    return TOKENIZER(SENTENCES[0])["input_ids"]


def a_long_document() -> object:
    return TOKENIZER(DOCUMENT)["input_ids"]


def a_padded_batch() -> object:
    batch = TOKENIZER(SENTENCES, padding=True)
    return batch["input_ids"], batch["attention_mask"]


def arrays() -> object:
    batch = TOKENIZER(SENTENCES, padding="max_length", max_length=32, return_tensors="np")
    return batch["input_ids"].tolist()


def cut_to_fit() -> object:
    return TOKENIZER(DOCUMENT, truncation=True, max_length=512)["input_ids"]


def windows_that_overlap() -> object:
    batch = TOKENIZER(
        DOCUMENT, truncation=True, max_length=256, stride=32, return_overflowing_tokens=True
    )
    return batch["input_ids"]


def offsets_for_labels() -> object:
    return TOKENIZER(CODE, return_offsets_mapping=True)["offset_mapping"]


def a_question_and_its_context() -> object:
    batch = TOKENIZER(MESSAGES[1]["content"], DOCUMENT, truncation="only_second", max_length=384)
    return batch["input_ids"], batch.sequence_ids(0)


def a_chat() -> object:
    return TOKENIZER.apply_chat_template(MESSAGES, add_generation_prompt=True)["input_ids"]


def tokens_as_text() -> object:
    return TOKENIZER.tokenize(SENTENCES[4])


def ids_and_tokens() -> object:
    return TOKENIZER.convert_tokens_to_ids(TOKENIZER.convert_ids_to_tokens(IDS[:100]))


def texts_of_a_batch() -> object:
    return TOKENIZER.batch_decode([IDS[:200], IDS[200:400]], skip_special_tokens=True)


def one_token_at_a_time() -> object:
    return [TOKENIZER.decode(token_id) for token_id in IDS[:50]]


def a_thousand_short_texts() -> object:
    return TOKENIZER(SENTENCES * 200)["input_ids"]
