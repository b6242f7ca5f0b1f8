"""An image archive is asked what it holds before the engine gets it."""

import io
import json
import tarfile

import pytest

from fumehood.errors import FumehoodError
from fumehood.sandbox.image_archive import read_archive


def archive(path, members):
    with tarfile.open(path, "w") as tar:
        for name, content in members.items():
            member = tarfile.TarInfo(name)
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


def config(*layers):
    return {"rootfs": {"type": "layers", "diff_ids": list(layers)}}


@pytest.mark.parametrize("place", ["abc.json", "blobs/sha256/abc"])
def test_both_layouts_are_read(tmp_path, place):
    index = [{"Config": place, "RepoTags": ["fumehood-sandbox:1"], "Layers": ["l/layer.tar"]}]
    held = read_archive(
        archive(tmp_path / "a.tar", {"l/layer.tar": b"x" * 4096, place: config("sha256:1", "sha256:2"), "manifest.json": index})
    )
    assert held.names == ("fumehood-sandbox:1",)
    assert held.layers == ("sha256:1", "sha256:2")


def test_an_image_saved_by_id_has_no_names(tmp_path):
    held = read_archive(archive(tmp_path / "a.tar", {"c": config(), "manifest.json": [{"Config": "c", "RepoTags": None}]}))
    assert held.names == ()


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"manifest.json": b"["},
        {"manifest.json": []},
        {"manifest.json": {"Config": "c"}},
        {"manifest.json": [{"Config": "c"}, {"Config": "c"}], "c": config()},
        {"manifest.json": [{"Config": "../../etc/passwd"}]},
        {"manifest.json": [{"Config": "c"}], "c": {"rootfs": {}}},
        {"manifest.json": b" " * ((1 << 20) + 1)},
    ],
)
def test_what_is_no_image_archive_is_refused(tmp_path, members):
    with pytest.raises(FumehoodError) as caught:
        read_archive(archive(tmp_path / "a.tar", members))
    assert caught.value.code == "image-mismatch"


def test_a_link_is_not_followed(tmp_path):
    path = tmp_path / "a.tar"
    with tarfile.open(path, "w") as tar:
        member = tarfile.TarInfo("manifest.json")
        member.type = tarfile.SYMTYPE
        member.linkname = "/etc/hostname"
        tar.addfile(member)
    with pytest.raises(FumehoodError):
        read_archive(path)


def test_no_file_and_no_tar(tmp_path):
    with pytest.raises(FumehoodError) as caught:
        read_archive(tmp_path / "none.tar")
    assert caught.value.code == "not-found"
    (tmp_path / "text.tar").write_text("hello" * 400)
    with pytest.raises(FumehoodError) as caught:
        read_archive(tmp_path / "text.tar")
    assert caught.value.code == "image-mismatch"
