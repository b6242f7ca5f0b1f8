"""Settings: which source wins, what is refused, and that the working directory has no say."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from pathlib import Path

import pytest

from fumehood import config
from fumehood.cli.main import main
from fumehood.config import Settings, load_settings, unknown_variables
from fumehood.errors import FumehoodError, InputError
from fumehood.limits import Limits


@pytest.fixture(autouse=True)
def places(tmp_path, monkeypatch):
    """An empty system and user configuration, a clean environment."""
    for name in list(config.os.environ):
        if name.startswith("FUMEHOOD_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(config, "SYSTEM_FILE", tmp_path / "etc" / "config.toml")
    return tmp_path


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_defaults():
    settings = Settings()
    assert settings.limits == Limits()
    assert settings.allowed_roots == ()
    assert settings.sanitize == "strip"


def test_layers_merge_table_by_table(places, monkeypatch):
    write(config.SYSTEM_FILE, 'runtime = "runsc"\n[limits]\nmemory_bytes = "1 GiB"\nwall_seconds = 10\npids = 10\n')
    write(config.user_file(), "[limits]\nwall_seconds = 20\npids = 20\n")
    monkeypatch.setenv("FUMEHOOD_CONFIG", str(write(places / "named.toml", "[limits]\npids = 30\n")))
    monkeypatch.setenv("FUMEHOOD_LIMITS__TMPFS_INODES", "99")
    settings = load_settings(sanitize="keep")
    assert settings.runtime == "runsc"
    assert settings.limits.memory_bytes == 1024**3
    assert settings.limits.wall_seconds == 20
    assert settings.limits.pids == 30
    assert settings.limits.tmpfs_inodes == 99
    assert settings.limits.wall_cap_seconds == Limits().wall_cap_seconds
    assert settings.sanitize == "keep"


def test_flags_win_over_the_environment(monkeypatch):
    monkeypatch.setenv("FUMEHOOD_JOBS", "3")
    monkeypatch.setenv("FUMEHOOD_ACCEPT_WEAKER", "a, b")
    assert load_settings().jobs == 3
    assert load_settings(jobs=5).jobs == 5
    assert load_settings(accept_weaker=["c"]).accept_weaker == ("a", "b", "c")


def test_roots_are_separated_as_path_is(monkeypatch, tmp_path):
    monkeypatch.setenv("FUMEHOOD_ALLOWED_ROOTS", "/srv/a:/srv/b c:")
    monkeypatch.chdir(tmp_path)
    assert load_settings(extra_roots=[Path("sub")]).allowed_roots == (Path("/srv/a"), Path("/srv/b c"), tmp_path / "sub")


def test_roots_in_a_file_are_a_list(places):
    write(config.user_file(), 'allowed_roots = ["/srv/a:b", "~/docs"]\n')
    assert load_settings().allowed_roots == (Path("/srv/a:b"), Path("~/docs").expanduser())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("jobz = 3\n", "jobz"),
        ("[limits]\nwall_secondz = 3\n", "limits.wall_secondz"),
        ("[store]\nmax = 3\n", "store.max"),
        ("jobs = 0\n", "jobs"),
        ("[limits]\npids = -1\n", "limits.pids"),
        ('[limits]\nwall_seconds = "nan"\n', "limits.wall_seconds"),
        ('[limits]\nmemory_bytes = "much"\n', ""),
        ('allowed_roots = ["relative"]\n', "allowed_roots"),
        ("jobs = \n", ""),
    ],
)
def test_a_wrong_file_is_refused_by_name_of_the_key(places, text, named):
    write(config.user_file(), text)
    with pytest.raises(FumehoodError) as caught:
        load_settings()
    assert caught.value.code == "invalid-argument"
    assert named in caught.value.message


def test_a_misspelt_limit_in_the_environment(monkeypatch):
    monkeypatch.setenv("FUMEHOOD_LIMITS__WALL_SECONDZ", "3")
    with pytest.raises(FumehoodError):
        load_settings()
    monkeypatch.delenv("FUMEHOOD_LIMITS__WALL_SECONDZ")
    monkeypatch.setenv("FUMEHOOD_JOBZ", "3")
    assert unknown_variables() == ["FUMEHOOD_JOBZ"]


def test_a_named_file_has_to_be_there(monkeypatch, tmp_path):
    monkeypatch.setenv("FUMEHOOD_CONFIG", str(tmp_path / "none.toml"))
    with pytest.raises(FumehoodError):
        load_settings()


def test_nothing_is_read_from_the_working_directory(places, monkeypatch):
    folder = places / "untrusted"
    for name in (".env", "config.toml", "fumehood.toml", "pyproject.toml"):
        write(folder / name, "FUMEHOOD_JOBS=77\njobs = 77\n" if name == ".env" else "jobs = 77\n[tool.fumehood]\njobs = 77\n")
    monkeypatch.chdir(folder)
    assert load_settings().jobs != 77


def test_settings_are_frozen():
    with pytest.raises(ValueError, match="frozen"):
        Settings().jobs = 3


def test_the_documentation_names_every_setting_and_its_default():
    text = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()
    rows = dict(re.findall(r"^\| `([a-z_.]+)` \| (.*?) \|", text, re.MULTILINE))
    settings = Settings()
    keys = set(Settings.model_fields) - {"limits", "store", "pool"}
    keys |= {f"limits.{name}" for name in dataclasses.asdict(settings.limits)}
    keys |= {f"{name}.{key}" for name in ("store", "pool") for key in type(getattr(settings, name)).model_fields}
    assert set(rows) == keys
    for name, value in dataclasses.asdict(settings.limits).items():
        number, _, unit = rows[f"limits.{name}"].partition(" ")
        assert float(number) * {"": 1, "KiB": 1024, "MiB": 1024**2, "GiB": 1024**3}[unit] == value, name


def test_sizes_are_those_that_a_kernel_keeps(places):
    """600 MB is no number of pages: the kernel's limit would be another than the one that was asked for and is proved."""
    write(config.user_file(), '[limits]\nmemory_bytes = "600 MB"\ntmpfs_bytes = "50 MB"\ninput_bytes = 1001\n')
    limits = load_settings().limits
    assert limits.memory_bytes == 9155 * 65_536
    assert limits.tmpfs_bytes == 762 * 65_536
    assert limits.input_bytes == 1001, "it is counted by us"
    assert Limits().in_pages() == Limits()
    assert Limits(tmpfs_bytes=1).in_pages().tmpfs_bytes == 1, "nobody's limit is raised"


def test_the_example_of_the_documentation_is_valid(places):
    text = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()
    write(config.user_file(), re.search(r"```toml\n(.*?)```", text, re.DOTALL)[1])
    settings = load_settings()
    assert settings.limits.input_bytes == 64 * 1024**2
    assert settings.store.documents == 200


def test_config_show_says_where_a_value_comes_from(places, monkeypatch, capsys):
    write(config.user_file(), "[limits]\nwall_seconds = 20\n")
    monkeypatch.setenv("FUMEHOOD_JOBS", "3")
    monkeypatch.setenv("FUMEHOOD_JOBZ", "3")
    named = write(places / "named.toml", "[store]\ndocuments = 9\n")
    monkeypatch.setenv("FUMEHOOD_CONFIG", "")  # restored afterwards: the option sets it
    assert main(["config", "show", "--json", "--config", str(named)]) == 0
    out, err = capsys.readouterr()
    shown = json.loads(out)
    assert shown["limits.wall_seconds"] == {"value": 20.0, "source": f"user file {config.user_file()}"}
    assert shown["jobs"] == {"value": 3, "source": "environment FUMEHOOD_JOBS"}
    assert shown["store.documents"] == {"value": 9, "source": f"named file {named}"}
    assert shown["runtime"] == {"value": "auto", "source": "default"}
    assert "FUMEHOOD_JOBZ" in err


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo, lambda path: path.symlink_to("nowhere")], ids=["folder", "pipe", "link"])
def test_a_configuration_file_that_is_none_is_said_and_nobody_waits_for_it(make):
    config.user_file().parent.mkdir(parents=True)
    make(config.user_file())
    with pytest.raises(InputError, match="cannot be read") as caught:
        config.load_settings()
    assert caught.value.code == "invalid-argument"


def test_a_configuration_file_that_may_not_be_read_is_said(monkeypatch):
    write(config.user_file(), "jobs = 1\n")

    def refuse(*_arguments, **_options):
        raise PermissionError(13, "no")

    monkeypatch.setattr(config.os, "open", refuse)  # the tests may run as root, whom nothing is refused
    with pytest.raises(InputError, match="permission denied"):
        config.load_settings()
