"""Public networks, fetched from a server on this machine."""

from __future__ import annotations

import _thread
import gzip
import os
import pathlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import ergodict
from ergodict import _ergodict

with_fetch = pytest.mark.skipif(not hasattr(_ergodict, "fetch_network"), reason="built without the feature fetch")


class Publisher(BaseHTTPRequestHandler):
    """Serves the files of its table; of one it sends a part and then nothing."""

    files: dict[str, bytes] = {}
    begun = threading.Event()
    over = threading.Event()

    def do_GET(self) -> None:  # noqa: N802
        body = self.files.get(self.path)
        if body is None and self.path != "/stalled":
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) if body is not None else 1000))
        self.end_headers()
        self.wfile.write(body if body is not None else b"1 2\n")
        if body is None:
            self.wfile.flush()
            self.begun.set()
            self.over.wait(60)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    """The address of a publisher of our own."""
    Publisher.files = {"/x": gzip.compress(b"30 20\n20 10\n10 10\n")}
    Publisher.begun.clear()
    Publisher.over.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Publisher) as http:
        http.daemon_threads = True
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_address[1]}"
        Publisher.over.set()
        http.shutdown()
        thread.join()


@with_fetch
def test_a_network_comes_checked_or_not_at_all(server: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match=r"4039 nodes, 88234 edges .*; unchecked=True takes it") as caught:
        ergodict.fetch_network("facebook", tmp_path, source=f"{server}/x", keep=True)
    assert "it has 3 nodes, 2 edges" in str(caught.value)
    assert os.listdir(tmp_path) == []
    network = ergodict.fetch_network("facebook", tmp_path / "new", source=f"{server}/x", unchecked=True, keep=True)
    assert (network.n_nodes, network.n_edges, network.neighbors(1)) == (3, 2, [0, 2])
    assert sorted(os.listdir(tmp_path / "new")) == ["facebook.txt.gz", "facebook_combined.txt.gz"]
    assert gzip.decompress((tmp_path / "new" / "facebook.txt.gz").read_bytes()) == b"0 1\n1 2\n"


@with_fetch
def test_what_cannot_be_had_is_said(server: str, tmp_path: pathlib.Path) -> None:
    with pytest.raises(OSError, match=r"status 404.*download https://snap.stanford.edu/data/ca-AstroPh.txt.gz"):
        ergodict.fetch_network("arxiv", tmp_path, source=f"{server}/none")
    with pytest.raises(FileNotFoundError):
        ergodict.fetch_network("arxiv", tmp_path, source=tmp_path / "none.gz")
    with pytest.raises(ValueError, match="there are facebook, arxiv"):
        ergodict.fetch_network("facebok", tmp_path)
    assert os.listdir(tmp_path) == []


@with_fetch
@pytest.mark.usefixtures("interruptible")
def test_who_interrupts_is_heard(server: str, tmp_path: pathlib.Path) -> None:
    def press() -> None:
        Publisher.begun.wait(60)
        _thread.interrupt_main()

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        ergodict.fetch_network("facebook", tmp_path, source=f"{server}/stalled", keep=True)
    thread.join()
    assert os.listdir(tmp_path) == []


@with_fetch
def test_the_known_network_is_fetched_once(server: str, tmp_path: pathlib.Path) -> None:
    copies = os.environ.get("ERGODICT_DATA")
    if not copies:
        pytest.skip("ERGODICT_DATA does not name the folder of networks: that they are known again is SKIPPED")
    Publisher.files["/y"] = pathlib.Path(copies, "facebook.txt.gz").read_bytes()
    network = ergodict.fetch_network("facebook", tmp_path, source=f"{server}/y")
    assert (network.n_nodes, network.n_edges) == (4039, 88234)
    assert ergodict.fetch_network("facebook", tmp_path).n_edges == 88234
    assert ergodict.Network(tmp_path / "facebook.txt.gz").n_edges == 88234


def test_a_package_built_without_it_says_how_to_get_it(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(_ergodict, "fetch_network", raising=False)
    with pytest.raises(RuntimeError, match=r"built without `fetch`.*--features fetch"):
        ergodict.fetch_network("facebook", tmp_path / "new")
    assert not (tmp_path / "new").exists()
