"""Where the base comes from: there already, a registry, or Debian's packages; and one clear sentence where none of them."""

import pytest

from fumehood.errors import FumehoodError, make_error
from fumehood.sandbox import image_base
from fumehood.sandbox.image_base import debian_sources, ensure_base, ensure_mmdebstrap
from fumehood.sandbox.image_recipe import load_recipe

RECIPE = load_recipe()
MADE_HERE = "fumehood-base:trixie-python3.13-x86_64"


class FakeEngine:
    def __init__(self, *present, registry=False):
        self.present = set(present)
        self.registry = registry
        self.asked = []

    def inspect(self, reference):
        return {"Id": f"sha256:{reference}"} if reference in self.present else None

    def pull(self, reference, say, *, idle_seconds):
        self.asked.append(("pull", idle_seconds))
        if not self.registry:
            raise make_error("image-missing", "no such host")
        self.present.add(reference)

    def import_root(self, archive, tag, labels):
        self.asked.append(("import", archive.read_bytes()))
        self.present.add(tag)

    def remove(self, reference):
        self.present.discard(reference)


@pytest.fixture(autouse=True)
def no_real_packages(monkeypatch):
    monkeypatch.setattr(image_base, "make_debian_root", lambda release, archive, say: archive.write_bytes(release.encode()))


def base_of(engine, **options):
    return ensure_base(engine, RECIPE, "x86_64", lambda line: None, **options)


def test_the_base_is_pinned_by_digest():
    assert RECIPE.base == "python:3.13-slim-trixie@sha256:9662417aace5ae7b8e2609cce472b72a8958e134ba372808abe9cc1a0c0125e6"


def test_a_base_that_is_there_is_used_and_nobody_is_asked():
    for reference in (RECIPE.base, MADE_HERE):
        engine = FakeEngine(reference)
        assert base_of(engine).reference == reference
        assert engine.asked == []


def test_a_registry_that_answers_gives_the_pinned_one():
    engine = FakeEngine(registry=True)
    base = base_of(engine)
    assert (base.reference, base.origin) == (RECIPE.base, "registry")
    assert engine.asked == [("pull", 15.0)]


def test_without_a_registry_the_same_release_is_made_from_packages():
    engine = FakeEngine()
    base = base_of(engine)
    assert (base.reference, base.origin) == (MADE_HERE, "debian")
    assert engine.asked == [("pull", 15.0), ("import", b"trixie")]


def test_a_fresh_base_is_made_although_one_is_there():
    engine = FakeEngine(MADE_HERE)
    assert base_of(engine, fresh=True).origin == "debian"
    assert ("import", b"trixie") in engine.asked


def test_the_mirror_is_the_machines_own_or_the_one_that_is_named(monkeypatch):
    sites = {"Label: Debian": ["http://mirror.example/debian"], "Label: Debian-Security": ["http://mirror.example/security"]}
    monkeypatch.setattr(image_base, "_apt_sites", sites.get)
    monkeypatch.delenv("FUMEHOOD_DEBIAN_MIRROR", raising=False)
    assert debian_sources("trixie") == [
        "deb http://mirror.example/debian trixie main",
        "deb http://mirror.example/security trixie-security main",
    ]
    monkeypatch.setenv("FUMEHOOD_DEBIAN_MIRROR", "http://other.example/debian")
    assert debian_sources("trixie") == ["deb http://other.example/debian trixie main"]


def test_a_machine_without_a_debian_mirror_is_told_what_to_set(monkeypatch):
    monkeypatch.setattr(image_base, "_apt_sites", lambda label: [])
    monkeypatch.delenv("FUMEHOOD_DEBIAN_MIRROR", raising=False)
    with pytest.raises(FumehoodError) as caught:
        debian_sources("trixie")
    assert caught.value.code == "image-missing"
    assert "FUMEHOOD_DEBIAN_MIRROR" in caught.value.hint


def test_without_mmdebstrap_and_without_root_one_sentence_says_what_to_install(monkeypatch):
    monkeypatch.setattr(image_base.shutil, "which", lambda program: None)
    monkeypatch.setattr(image_base.os, "geteuid", lambda: 1000)
    with pytest.raises(FumehoodError) as caught:
        ensure_mmdebstrap(lambda line: None)
    assert "apt-get install mmdebstrap" in caught.value.hint


def test_a_tool_that_fails_shows_its_last_lines():
    with pytest.raises(FumehoodError, match=r"broken \(status 3\): the reason"):
        image_base._run(["sh", "-c", "echo I: fine; echo the reason; exit 3"], lambda line: None, "broken")
