"""What people write with tokenizers; each function is a snippet."""

from __future__ import annotations

import copy
import pickle
import tempfile
from pathlib import Path

import tokenizers
from snippet_texts import CODE, DOCUMENT, MESSAGES, SENTENCES

import tokstream

PRELUDE = "import in_place_of_tokenizers"
# data only: GPT-2 as its tokenizer.json
FILE = Path(tempfile.mkdtemp()) / "tokenizer.json"
FILE.write_text(tokstream.get_encoding("gpt2").as_hf().to_str(), "utf-8")
TOKENIZER = tokenizers.Tokenizer.from_file(str(FILE))
IDS = TOKENIZER.encode(DOCUMENT).ids
PADDED, CUT, PAIRED = (copy.deepcopy(TOKENIZER) for _ in range(3))
PADDED.enable_padding(pad_id=50256, pad_token="<|endoftext|>")
CUT.enable_truncation(128, stride=16)
PAIRED.enable_truncation(200, strategy="only_second")


def one_sentence() -> object:
    encoding = TOKENIZER.encode(SENTENCES[0])
    return encoding.ids, encoding.tokens


def a_document() -> object:
    return TOKENIZER.encode(DOCUMENT).ids


def how_many_tokens() -> object:
    return [len(TOKENIZER.encode(message["content"])) for message in MESSAGES]


def where_the_tokens_are() -> object:
    encoding = TOKENIZER.encode(SENTENCES[4])
    return [SENTENCES[4][start:end] for start, end in encoding.offsets]


def words_of_tokens() -> object:
    encoding = TOKENIZER.encode(SENTENCES[4])
    return encoding.word_ids, encoding.word_to_chars(1), encoding.char_to_token(7)


def a_batch() -> object:
    return [encoding.ids for encoding in TOKENIZER.encode_batch(SENTENCES * 20)]


def a_padded_batch() -> object:
    return [(e.ids, e.attention_mask) for e in PADDED.encode_batch(SENTENCES)]


def windows_that_overlap() -> object:
    encoding = CUT.encode(DOCUMENT)
    return [encoding.ids, *(part.ids for part in encoding.overflowing)]


def a_question_and_its_context() -> object:
    encoding = PAIRED.encode(MESSAGES[1]["content"], DOCUMENT)
    return encoding.ids, encoding.sequence_ids, encoding.type_ids


def words_given() -> object:
    encoding = TOKENIZER.encode(SENTENCES[0].split(), is_pretokenized=True)
    return encoding.tokens, encoding.word_ids


def text_of_ids() -> object:
    return TOKENIZER.decode(IDS)


def texts_of_a_batch() -> object:
    return TOKENIZER.decode_batch([IDS[:100], IDS[100:200]])


def text_while_ids_arrive() -> object:
    stream = tokenizers.decoders.DecodeStream(skip_special_tokens=True)
    return [stream.step(TOKENIZER, token_id) for token_id in IDS[:200]]


def tokens_of_a_vocabulary() -> object:
    return [TOKENIZER.token_to_id(TOKENIZER.id_to_token(k) or "") for k in range(0, 50000, 500)]


def a_pickle() -> object:
    return pickle.loads(pickle.dumps(TOKENIZER.encode(CODE[:300]))).tokens
