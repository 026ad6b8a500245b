"""What people write with tiktoken; each function is a snippet and returns what it found."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor

from snippet_texts import CODE, DOCUMENT, MESSAGES, SENTENCES

import tiktoken

LINE = "import tokstream.compat.tiktoken as tiktoken"
PRELUDE = "import tokstream.compat.tiktoken as t; t.install()"
CL100K = tiktoken.get_encoding("cl100k_base")
O200K = tiktoken.get_encoding("o200k_base")


def there_and_back() -> object:
    enc = tiktoken.get_encoding("o200k_base")
    return enc.decode(enc.encode("hello world")) == "hello world"


def tokens_of_a_model() -> object:
    enc = tiktoken.encoding_for_model("gpt-4o")
    return enc.name, enc.encode("tiktoken is great!")


def count_a_string() -> object:
    return len(tiktoken.get_encoding("cl100k_base").encode("tiktoken is great!"))


def count_a_chat() -> object:
    """The overhead of each message, and of the reply."""
    n_tokens = 3
    for message in MESSAGES:
        n_tokens += 3 + sum(len(CL100K.encode(value)) for value in message.values())
    return n_tokens


def cost_of_a_prompt() -> object:
    return round(len(O200K.encode(DOCUMENT)) * 2.5 / 1e6, 6)


def names() -> object:
    return tiktoken.list_encoding_names()


def encodings_of_models() -> object:
    models = ("gpt-4o-mini", "gpt-4", "gpt-3.5-turbo-0301", "text-embedding-3-small", "gpt-oss-20b")
    return [tiktoken.encoding_name_for_model(model) for model in models]


def a_model_that_is_not_known() -> object:
    try:
        return tiktoken.encoding_for_model("my-model").name
    except KeyError:
        return tiktoken.get_encoding("cl100k_base").name


def compare_encodings() -> object:
    counts = {}
    for name in ("gpt2", "p50k_base", "cl100k_base", "o200k_base"):
        enc = tiktoken.get_encoding(name)
        counts[name] = [len(enc.encode(text)) for text in SENTENCES]
    return counts


def special_tokens_allowed() -> object:
    return CL100K.encode("end<|endoftext|>", allowed_special={"<|endoftext|>"})


def special_tokens_as_text() -> object:
    return CL100K.encode("end<|endoftext|>", disallowed_special=())


def special_tokens_refused() -> object:
    try:
        CL100K.encode("end<|endoftext|>")
    except ValueError as error:
        return "<|endoftext|>" in str(error)
    return False


def all_special_tokens() -> object:
    text = "<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>"
    return CL100K.encode(text, allowed_special="all"), sorted(CL100K.special_tokens_set)


def bytes_of_tokens() -> object:
    return [CL100K.decode_single_token_bytes(token) for token in CL100K.encode(SENTENCES[2])]


def offsets() -> object:
    return CL100K.decode_with_offsets(CL100K.encode(SENTENCES[0]))


def single_tokens() -> object:
    return CL100K.encode_single_token(" the"), CL100K.eot_token, CL100K.is_special_token(100257)


def a_batch() -> object:
    return CL100K.encode_batch(SENTENCES * 20)


def a_batch_back() -> object:
    return CL100K.decode_batch(CL100K.encode_ordinary_batch(SENTENCES * 20))


def an_array() -> object:
    return int(CL100K.encode_to_numpy(DOCUMENT).sum())


def cut_to_so_many_tokens() -> object:
    return CL100K.decode(CL100K.encode(DOCUMENT)[:256])


def windows_for_embeddings() -> object:
    tokens = CL100K.encode(DOCUMENT)
    return [CL100K.decode(tokens[begin : begin + 300]) for begin in range(0, len(tokens), 250)]


def source_code() -> object:
    return O200K.encode_ordinary(CODE)


def a_long_document() -> object:
    return len(O200K.encode(DOCUMENT * 20))


def an_extended_encoding() -> object:
    enc = tiktoken.Encoding(
        name="cl100k_im",
        pat_str=CL100K._pat_str,
        mergeable_ranks=CL100K._mergeable_ranks,
        special_tokens={**CL100K._special_tokens, "<|im_start|>": 100264},
    )
    return enc.encode("<|im_start|>user", allowed_special={"<|im_start|>"})


def what_may_follow() -> object:
    ids, completions = CL100K.encode_with_unstable("hello fanta")
    return ids, sorted(completions)


def in_threads() -> object:
    with ThreadPoolExecutor(4) as pool:
        return list(pool.map(CL100K.encode, SENTENCES * 5))


def across_processes() -> object:
    return pickle.loads(pickle.dumps(CL100K)).encode(SENTENCES[1])


def broken_characters() -> object:
    tokens = CL100K.encode("漢字👍")[:-1]
    return CL100K.decode(tokens), CL100K.decode(tokens, errors="ignore")
