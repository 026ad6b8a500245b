"""`from_hub` against a hub of our own: a small HTTP server that answers as the real one does."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

import tokstream

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("huggingface_hub")

COMMIT = "0123456789abcdef0123456789abcdef01234567"
FLAGS = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
DOCUMENT = json.dumps(
    {
        "version": "1.0",
        "added_tokens": [{"id": 3, "content": "<s>", "special": True, **FLAGS}],
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
    }
)
FILES = {
    "tokenizer.json": DOCUMENT.encode(),
    "tokenizer_config.json": b'{"bos_token": "<s>", "tokenizer_class": "PreTrainedTokenizerFast"}',
    "chat_template.jinja": b"{{ bos_token }}",
    "config.json": b"{}",
    "model.safetensors": b"weights, which nobody needs",
}
CODE = (
    "import sys, tokstream\n"
    "try:\n"
    "    tok = tokstream.from_hub(sys.argv[1], revision=(sys.argv[2:] or [None])[0])\n"
    "    print(tok.encode('abba<s>'), tok.name)\n"
    "except Exception as error:\n"
    "    print(type(error).__name__, isinstance(error, (OSError, ValueError)), error)\n"
)


class Hub(BaseHTTPRequestHandler):
    """Two models: `us/model`, and `us/private`, which asks for a token."""

    asked: list[str] = []  # noqa: RUF012 - of all requests

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = unquote(urlsplit(self.path).path).strip("/")
        type(self).asked.append(path)
        is_known = self.headers.get("Authorization") == "Bearer secret"
        if "us/private" in path and not is_known:
            self.answer(b"{}", 401, {"X-Error-Code": "GatedRepo"})
        elif path.startswith(("api/models/us/model", "api/models/us/private")):
            parts = path.split("/")
            listed = [
                {"type": "file", "path": name, "size": len(data), "oid": "0" * 40}
                for name, data in FILES.items()
            ]
            if "tree" in parts:
                self.answer(json.dumps(listed).encode())
                return
            siblings = [{"rfilename": name} for name in FILES]
            about = {"id": "/".join(parts[2:4]), "sha": COMMIT, "siblings": siblings}
            self.answer(json.dumps(about).encode())
        elif "/resolve/" in path and (data := FILES.get(path.rpartition("/")[2])) is not None:
            etag = f'"{hashlib.sha256(data).hexdigest()}"'
            self.answer(data, 200, {"X-Repo-Commit": COMMIT, "ETag": etag})
        else:
            self.answer(b"{}", 404, {"X-Error-Code": "RepoNotFound"})

    def answer(self, data: bytes, status: int = 200, headers: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub() -> Iterator[str]:
    Hub.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def load(folder: Path, endpoint: str, *arguments: str, code: str = CODE, **more: str) -> str:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("HF_")}
    environment = {
        **{k: v for k, v in kept.items() if not k.lower().endswith("_proxy")},
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(folder),
        "HF_HUB_DISABLE_XET": "1",
        "NO_PROXY": "127.0.0.1",
        **more,
    }
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_model_is_fetched_once_and_then_found_without_the_network(
    hub: str, tmp_path: Path
) -> None:
    assert load(tmp_path, hub, "us/model") == "[2, 1, 0, 3] us/model"
    fetched = {path.rpartition("/")[2] for path in Hub.asked if "/resolve/" in path}
    assert fetched == {"tokenizer.json", "tokenizer_config.json"}
    n_asked = len(Hub.asked)
    assert load(tmp_path, hub, "us/model", HF_HUB_OFFLINE="1") == "[2, 1, 0, 3] us/model"
    assert len(Hub.asked) == n_asked
    assert load(tmp_path, hub, "us/model", COMMIT) == "[2, 1, 0, 3] us/model"
    nobody = "http://127.0.0.1:9"
    assert load(tmp_path, nobody, "us/model") == "[2, 1, 0, 3] us/model"


def test_a_model_without_a_tokenizer_json(
    hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json"):
        monkeypatch.delitem(FILES, name)
    vocab = json.dumps({"a": 0, "b": 1, "ab": 2, "<s>": 3}).encode()
    model = b'{"model_type": "gpt2"}'
    for name, data in (("vocab.json", vocab), ("merges.txt", b"a b\n"), ("config.json", model)):
        monkeypatch.setitem(FILES, name, data)
    assert load(tmp_path, hub, "us/model") == "[2, 1, 0] us/model"
    fetched = {path.rpartition("/")[2] for path in Hub.asked if "/resolve/" in path}
    assert fetched == {"vocab.json", "merges.txt", "config.json"}
    assert load(tmp_path, hub, "us/model", HF_HUB_OFFLINE="1") == "[2, 1, 0] us/model"


def test_a_model_without_a_tokenizer(
    hub: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in FILES.keys() - {"model.safetensors"}:
        monkeypatch.delitem(FILES, name)
    said = load(tmp_path, hub, "us/model")
    assert said.startswith("VocabularyError True us/model has no file of a tokenizer; looked for")


def test_from_pretrained_of_the_drop_in(hub: str, tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from tokstream.compat.huggingface import Tokenizer\n"
        "hf = Tokenizer.from_pretrained(sys.argv[1], *sys.argv[2:])\n"
        "print(hf.encode('abba<s>').ids)\n"
    )
    for arguments in (("us/model",), ("us/model", COMMIT), ("us/private", "main", "secret")):
        assert load(tmp_path, hub, *arguments, code=code) == "[2, 1, 0, 3]"


def test_what_is_not_there_is_said(hub: str, tmp_path: Path) -> None:
    assert "True" in load(tmp_path, hub, "us/none")
    assert "True" in load(tmp_path, hub, "us/model", HF_HUB_OFFLINE="1")
    assert "True" in load(tmp_path, hub, "us/private")
    assert load(tmp_path, hub, "us/private", HF_TOKEN="secret").startswith("[2, 1, 0, 3]")


@pytest.mark.parametrize("name", ["", None, 5, b"us/model"])
def test_names_that_are_none(name: object) -> None:
    with pytest.raises(tokstream.ConfigurationError, match="name a model"):
        tokstream.from_hub(name)  # type: ignore[arg-type]
