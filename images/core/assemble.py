"""Cuts a base image down to what a reader needs. Runs inside the build's first stages, with no network.

``assemble.py root BUILD ROOTFS`` installs the wheels of BUILD/wheels by hash and copies into ROOTFS: the interpreter, its
standard library without tests, windows, terminals, databases and TLS, the wheels, every shared object that ``ldd`` names
for any of them, and ``timeout``. ``assemble.py package SOURCE LIBRARY ROOTFS`` adds our own package, and the modules of the
library that were rewritten for it (``expand.py``). Everything is byte-compiled without timestamps, since the container's root is
read-only and file times do not survive every builder.

It runs on both bases (python.org's build under /usr/local, Debian's under /usr), so it asks the interpreter where things are.
"""

from __future__ import annotations

import compileall
import json
import py_compile
import shutil
import stat
import subprocess
import sys
import sysconfig
from pathlib import Path

# Tests, windows, installers and their data; what talks to networks, terminals or databases has no business with a document.
LEFT_OUT_MODULES = {
    "__phello__", "curses", "dbm", "ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "dist-packages", "sqlite3",
    "test", "tests", "tkinter", "turtledemo", "venv", "__pycache__", "antigravity.py", "pydoc.py", "sitecustomize.py",
    "turtle.py", "EXTERNALLY-MANAGED", "LICENSE.txt",
}  # fmt: skip
LEFT_OUT_EXTENSIONS = (
    "_crypt",
    "_curses",
    "_dbm",
    "_gdbm",
    "_sqlite3",
    "_ssl",
    "_test",
    "_tkinter",
    "_xx",
    "nis",
    "ossaudiodev",
    "readline",
    "xx",
)
# Parts of wheels that only a compiler, a test run or Python 2 reads.
LEFT_OUT_OF_WHEELS = {"bin", "tests", "test", "includes", "mupdf-devel", "olefile2.py", "pypdfium2_cli"}
# Wrappers of a native module that no reader uses and that bring much else: this one is a client of a service on the network.
EMPTIED_MODULES = ("anydoc/__init__.py",)
EXTRA_PROGRAMS = ["/usr/bin/timeout"]
MANIFEST = "usr/share/fumehood/manifest.json"


def main() -> None:
    match sys.argv[1:]:
        case ["root", build, rootfs]:
            assemble(Path(build), Path(rootfs))
        case ["package", source, library, rootfs]:
            target = Path(rootfs) / packages()
            shutil.copytree(library, target)  # in the place of the library's own
            shutil.copytree(source, target / "fumehood_sandbox")
            compile_tree(target, Path(rootfs))
        case _:
            sys.exit("usage: assemble.py root BUILD ROOTFS | package SOURCE LIBRARY ROOTFS")


def packages() -> Path:
    """Where the interpreter looks for packages under -I and -S, relative to the root: beside its own library.

    -S leaves out the module ``site``, which takes a while to find that it has nothing to add.
    """
    return Path(sysconfig.get_path("stdlib")).relative_to("/")


def assemble(build: Path, rootfs: Path) -> None:
    rootfs.mkdir()
    for link in ("lib", "lib64", "bin", "sbin"):  # the base's merged /usr
        path = Path("/") / link
        if path.is_symlink():
            (rootfs / link).symlink_to(path.readlink())
            (rootfs / path.readlink()).mkdir(parents=True, exist_ok=True)
    copied = copy_interpreter(rootfs)
    install_wheels(build, rootfs / packages())
    subprocess.run(
        [sys.executable, "-I", "-B", str(build / "expand_mupdf.py"), str(rootfs / packages() / "pymupdf")], check=True
    )
    copied += [copy(Path(program), rootfs) for program in EXTRA_PROGRAMS]
    copied += copy_shared_objects(rootfs)
    (rootfs / "tmp").mkdir()
    (rootfs / "tmp").chmod(0o1777)  # a tmpfs mounted there takes its mode from here where the request gives none
    write_linker_cache(rootfs)
    compile_tree(rootfs, rootfs)
    write_manifest(rootfs, copied)
    refuse_privileged_files(rootfs)


def copy(source: Path, rootfs: Path) -> Path:
    """Copies the content of *source* (a link is followed) to its place under *rootfs*; returns the real source."""
    place = rootfs / source.parent.resolve().relative_to("/") / source.name
    place.parent.mkdir(parents=True, exist_ok=True)
    if not place.exists():
        shutil.copy2(source.resolve(), place)
    return source.resolve()


def copy_interpreter(rootfs: Path) -> list[Path]:
    program = Path(sys.executable).resolve()
    copied = [copy(program, rootfs)]
    link = rootfs / "usr/bin/python3"
    if link != rootfs / program.relative_to("/"):
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(program)
    library = Path(sysconfig.get_path("stdlib"))

    def left_out(folder: str, names: list[str]) -> set[str]:
        out = {name for name in names if name in LEFT_OUT_MODULES or name.startswith("config-")}
        if Path(folder).name == "lib-dynload":
            out |= {name for name in names if name.startswith(LEFT_OUT_EXTENSIONS)}
        return out

    shutil.copytree(library, rootfs / library.relative_to("/"), ignore=left_out, symlinks=False)
    return copied + [
        library / part.relative_to(rootfs / library.relative_to("/"))
        for part in (rootfs / library.relative_to("/")).rglob("*.so")
    ]


def install_wheels(build: Path, target: Path) -> None:
    """Install with pip, run from its own wheel: hashes checked once more, nothing but the wheels that lie there."""
    pip = next((build / "wheels").glob("pip-*.whl"))
    # A target outside the root: pip's own leftovers stay out of the image.
    staged = build / "site"
    subprocess.run(
        [
            sys.executable, "-B", str(pip / "pip"), "install", "--no-index", "--no-deps", "--no-compile", "--require-hashes",
            "--disable-pip-version-check", "--root-user-action", "ignore", "--no-cache-dir", "--quiet",
            "--find-links", str(build / "wheels"), "--requirement", str(build / "requirements.lock"), "--target", str(staged),
        ],
        check=True,
    )  # fmt: skip
    shutil.copytree(
        staged, target, ignore=lambda _, names: {name for name in names if name in LEFT_OUT_OF_WHEELS}, dirs_exist_ok=True
    )
    for name in EMPTIED_MODULES:
        if not (target / name).is_file():
            sys.exit(f"{name} is not where it was")
        (target / name).write_text("")


def is_elf(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def copy_shared_objects(rootfs: Path) -> list[Path]:
    """What ``ldd`` names for every program and library now in *rootfs*; a name it cannot resolve ends the build."""
    copied: list[Path] = []
    for elf in sorted(path for path in rootfs.rglob("*") if is_elf(path)):
        answer = subprocess.run(["ldd", str(elf)], capture_output=True, text=True, check=False)
        for line in answer.stdout.splitlines():
            if "not found" in line:
                sys.exit(f"{elf}: {line.strip()}")
            named = line.partition("=>")[2] or line
            path = Path(named.split()[0]) if named.split() else Path("-")
            if path.is_absolute() and not path.is_relative_to(rootfs):
                copied.append(copy(path, rootfs))
    return copied


def write_linker_cache(rootfs: Path) -> None:
    """So that a library outside the linker's standard folders (/usr/local/lib on one of the bases) is found."""
    etc = rootfs / "etc"
    etc.mkdir(exist_ok=True)
    (etc / "ld.so.conf").write_text("/usr/local/lib\n")
    subprocess.run(["ldconfig", "-X", "-r", str(rootfs)], check=True)
    (etc / "ld.so.conf").unlink()
    shutil.rmtree(rootfs / "var", ignore_errors=True)


def compile_tree(tree: Path, rootfs: Path) -> None:
    """Compile all of *tree*; a file that does not compile ends the build, since it would be compiled anew on every import."""
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    if not compileall.compile_dir(
        tree, quiet=1, maxlevels=20, force=True, stripdir=str(rootfs), prependdir="/", invalidation_mode=unchecked
    ):
        sys.exit("not everything could be compiled")


def write_manifest(rootfs: Path, copied: list[Path]) -> None:
    """What the image is made of: the interpreter, the wheels, and the Debian packages that own a copied file."""
    owners: set[str] = set()
    answer = subprocess.run(["dpkg-query", "--search", *sorted({str(p) for p in copied} | {str(p).removeprefix("/usr") for p in copied})],
                            capture_output=True, text=True, check=False)  # fmt: skip
    for line in answer.stdout.splitlines():
        owners.update(name.strip() for name in line.rpartition(": ")[0].split(","))
    listed = subprocess.run(
        ["dpkg-query", "--show", "--showformat", "${binary:Package} ${Version}\n", *sorted(owners)],
        capture_output=True,
        text=True,
        check=True,
    )
    manifest = {
        "python": sys.version.split()[0],
        "debian": dict(line.split(" ", 1) for line in listed.stdout.splitlines()) if owners else {},
        "wheels": dict(sorted(
            folder.name.removesuffix(".dist-info").split("-", 1) for folder in (rootfs / packages()).glob("*.dist-info")
        )),
    }  # fmt: skip
    place = rootfs / MANIFEST
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(manifest, indent=1, sort_keys=True))


def refuse_privileged_files(rootfs: Path) -> None:
    """No file may lend its owner's rights, whatever a later base brings."""
    for path in rootfs.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID):
            sys.exit(f"{path} is setuid or setgid")


if __name__ == "__main__":
    main()
