"""Extraction itself, with no container on either side: over documents made here, and over real ones where a corpus is at hand."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from bench import documents
from bench.measure import Cost, Figure, Group, interleaved, ratio
from bench.readers import NoSuchReaderError, Peer, UnreadableError, in_its_own_process
from bench.setting import Setting

#: The bar: at least four times faster than this one. The others, written in Rust, show the distance.
_BESIDE: Final = "markitdown"
_RUST: Final = ("anydoc", "kreuzberg")
_BAR: Final = 0.25
#: A real document that takes a reader longer is left out; a large one made here takes some of them minutes.
_FILE_SECONDS: Final = 60.0
_LARGE_SECONDS: Final = 600.0
_OFFICE: Final = ("docx", "xlsx", "pptx", "pdf")


def extractions(now: Setting) -> Group:
    group = Group("Extraction in process (detect, read, encode frames) over other readers, all warm")
    with ExitStack() as stack:
        ours = stack.enter_context(in_its_own_process())
        others = _others(now, stack, group, _LARGE_SECONDS)
        for name in (*_OFFICE, *(documents.LARGE if now.full else ())):
            path = now.write(name)
            large = name in documents.LARGE
            rounds = 1 if large else now.rounds(quick=4, full=20)
            costs = interleaved(
                {
                    reader: lambda peer=peer, path=path: peer.convert(path)  # type: ignore[misc]
                    for reader, peer in {"ours": ours, **others}.items()
                },
                rounds,
                drop_first=not large,
            )
            for reader in others:
                bar = _BAR if reader == _BESIDE else None
                group.figures.append(
                    ratio(f"{name}: over {reader}", costs["ours"], costs[reader], clock="cpu", bar=bar, of=reader)
                )
    return group


def corpus(now: Setting) -> Group:
    """One ratio a file; a file that ours or the other cannot read counts for neither."""
    group = Group("Extraction in process over other readers, real documents: one ratio a file")
    if now.corpus is None:
        group.notes.append("not measured: no corpus beside this checkout (../shared/corpus)")
        return group
    wanted = now.rounds(quick=3, full=60)
    with ExitStack() as stack:
        ours = stack.enter_context(in_its_own_process(seconds=_FILE_SECONDS))
        others = _others(now, stack, group, _FILE_SECONDS)
        for family in _OFFICE:
            found: dict[str, list[float]] = {reader: [] for reader in others}
            taken = 0
            for path in chosen(now.corpus, family):
                costs = _one_file(path, ours, others)
                if "ours" not in costs or _BESIDE not in costs:
                    continue
                for reader, values in found.items():
                    if reader in costs:
                        values.append(costs["ours"].cpu / max(costs[reader].cpu, 1e-6))
                taken += 1
                if taken == wanted:
                    break
            group.figures += [
                Figure(
                    f"{family}, {len(values)} files: over {reader}",
                    values,
                    of=reader,
                    clock="cpu",
                    bar=_BAR if reader == _BESIDE else None,
                )
                for reader, values in found.items()
                if values
            ]
    return group


def chosen(folder: Path, family: str) -> Iterator[Path]:
    """The documents of *family* below *folder* in an order that has nothing to do with where they come from."""
    files = (path for path in folder.rglob(f"*.{family}") if path.is_file())
    return iter(sorted(files, key=lambda path: hashlib.sha256(path.relative_to(folder).as_posix().encode()).digest()))


def _one_file(path: Path, ours: Peer, others: Mapping[str, Peer]) -> dict[str, Cost]:
    """The second of two readings by each reader, so that none pays for what it loads with the first of a kind."""
    costs: dict[str, Cost] = {}
    for reader, peer in {"ours": ours, **others}.items():
        try:
            peer.convert(path)
            costs[reader] = peer.convert(path)
        except UnreadableError:
            if reader in {"ours", _BESIDE}:
                break
    return costs


def _others(now: Setting, stack: ExitStack, group: Group, seconds: float) -> dict[str, Peer]:
    others = {_BESIDE: stack.enter_context(Peer(_BESIDE, now.peer, seconds=seconds))}
    for reader in _RUST:
        try:
            others[reader] = stack.enter_context(Peer(reader, now.peer, seconds=seconds))
        except NoSuchReaderError as error:
            group.notes.append(f"not measured: {error}")
    return others
