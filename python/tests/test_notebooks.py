"""The notebooks of the guide run, and a kernel shows progress and can be interrupted."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupyter_client
import nbclient
import nbformat
import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs/notebooks").glob("*.ipynb"))

#: Seconds that a kernel may take to start or to answer: on a busy machine these are many.
WAIT = 300

# Messages of kernels pass through libraries that warn of their own future.
pytestmark = pytest.mark.filterwarnings("default")


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) >= 4


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert not any(cell.outputs for cell in code), "notebooks are kept without outputs: clear them"
    nbclient.NotebookClient(notebook, timeout=600, startup_timeout=WAIT, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in code for output in cell.outputs]
    assert any("image/png" in output.get("data", {}) for output in shown)
    talk = [output.text for output in shown if output.get("name") == "stderr"]
    assert not talk, talk


@pytest.fixture
def client() -> Iterator[tuple[Any, Any]]:
    manager, client = jupyter_client.manager.start_new_kernel(startup_timeout=WAIT, kernel_name="python3")
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def messages(client: Any, seconds: float = WAIT) -> Iterator[dict[str, Any]]:
    """What a kernel says until it is idle."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            message = client.get_iopub_msg(timeout=1)
        except queue.Empty:
            continue
        yield message
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return
    raise AssertionError("the kernel is not idle")


def test_a_kernel_is_interrupted(client: tuple[Any, Any]) -> None:
    manager, kernel = client
    kernel.execute("import ergodict")
    list(messages(kernel))
    # More steps than there is time for.
    kernel.execute("print('begun', flush=True)\nergodict.NetworkDictionary(steps=10**7, rewired_copies=0).fit('@karate')")
    begun, error = False, None
    for message in messages(kernel):
        if message["msg_type"] == "stream" and not begun:
            begun = True
            time.sleep(0.5)
            manager.interrupt_kernel()
        if message["msg_type"] == "error":
            error = message["content"]["ename"]
    assert begun and error == "KeyboardInterrupt"
    # It goes on after that.
    kernel.execute("print(ergodict.Network('@karate').n_nodes)")
    assert [message["content"]["text"] for message in messages(kernel) if message["msg_type"] == "stream"] == ["34\n"]


@pytest.mark.parametrize("widgets", [True, False])
def test_progress_shows_in_a_kernel(client: tuple[Any, Any], widgets: bool) -> None:
    _, kernel = client
    hide = "" if widgets else "import sys; sys.modules['ipywidgets'] = None\n"
    kernel.execute(f"{hide}import ergodict\nergodict.NetworkDictionary(steps=50, rewired_copies=0, verbose=True, random_state=0).fit('@karate');")
    said = list(messages(kernel))
    states = [message["content"]["data"].get("state", {}) for message in said if message["msg_type"] == "comm_msg"]
    states += [message["content"]["data"].get("state", {}) for message in said if message["msg_type"] == "comm_open"]
    text = "".join(message["content"]["text"] for message in said if message["msg_type"] == "stream")
    assert "Warning" not in text
    if widgets:
        assert any(state.get("max") == 50 for state in states) and any(state.get("value") == 50 for state in states)
        assert any("100%" in str(state.get("value")) for state in states)
    else:
        assert "50/50" in text and not states
