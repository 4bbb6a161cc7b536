"""Runs the notebooks, one after another in one directory: the third reads the model of the second."""

from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[3] / "apps/python/notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("notebooks")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=[path.stem for path in NOTEBOOKS])
def test_notebook(path, directory):
    for module in ("matplotlib", "nbclient", "nbformat", "ipykernel"):
        pytest.importorskip(module)
    import nbclient
    import nbformat
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    pictures = [output for cell in code for output in cell.outputs if "image/png" in output.get("data", {})]
    assert pictures and path.stat().st_size < 400_000, "a notebook is kept with its pictures"
    kept = [cell.source for cell in code]
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(directory)}}).execute()
    drawn = [output for cell in code for output in cell.outputs if "image/png" in output.get("data", {})]
    assert len(drawn) == len(pictures) and kept == [cell.source for cell in code]
    text = "".join(output.get("text", "") for cell in code for output in cell.outputs)
    checks = [line for line in text.splitlines() if line.startswith(("worst:", "FAILED:"))]
    assert [line.split(":")[0] for line in checks] == {"1": ["worst", "FAILED", "worst", "worst"]}.get(path.stem[0], [])


def test_there_are_five():
    assert len(NOTEBOOKS) == 5
