"""regard.train."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ._core import _train
from .results import StepReport, Trained, ValidationReport
from .settings import json_of, text_of


def _bar(shown: bool) -> Any:
    try:
        if shown:
            from tqdm.auto import tqdm
            return tqdm(unit="step")
    except ImportError:
        pass
    return None


def train(config: dict[str, Any] | str | os.PathLike[str], out: str | os.PathLike[str], *,
          overrides: dict[str, Any] | None = None, overwrite: bool = False,
          on_step: Callable[[StepReport], object] | None = None,
          on_validation: Callable[[ValidationReport], object] | None = None,
          log: Callable[[str], object] | None = print, progress: bool = True) -> Trained:
    """Trains the model in the directory `out`, as `regard train` does, to the same bits.

    config         a dict of settings, or the path of a JSON file with them (apps/README.md)
    overrides      replaces settings: {"training.steps": 2000}
    overwrite      begins a new training; otherwise the training in `out` is resumed
    on_step        called with a StepReport after each step
    on_validation  called with a ValidationReport after each validation
    log            called with each line of the log, and when subwords are learnt; None: no lines
    progress       shows a progress bar if tqdm is installed

    Ctrl-C, and an exception in one of these functions, stops the training after the step: its state is saved, and the
    exception is raised again. The same call then resumes it, and ends with the same bits as without the stop.

    Throws Error if a setting or a file is wrong. Source: regard's own.

    >>> regard.train("config.json", "short", overrides={"training.epochs": 1}, log=None, progress=False).finished
    True"""
    is_file = isinstance(config, (str, os.PathLike))
    text = Path(config).read_text(encoding="utf-8") if is_file else json_of(config)
    name = os.fspath(config) if is_file else "config"
    changes = [f"{key}={text_of(value)}" for key, value in (overrides or {}).items()]
    bar = _bar(progress)
    show = log if bar is None or log is not print else bar.write

    def step(report: StepReport) -> None:
        if bar is not None:
            bar.total = report.planned_steps or None
            bar.set_postfix_str(f"loss {report.loss:.4f}", refresh=False)
            bar.update(report.step - bar.n)
        if on_step is not None:
            on_step(report)

    try:
        return _train(text, name, is_file, os.fspath(out), changes, overwrite,
                      step if bar is not None or on_step is not None else None, on_validation, show)
    except KeyboardInterrupt:
        if show is not None:
            show(f"Stopped; everything is saved in {out}. The same call resumes the training.")
        raise
    finally:
        if bar is not None:
            bar.close()
