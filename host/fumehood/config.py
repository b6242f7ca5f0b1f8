"""Settings: where they come from, what they may be.

Later wins, table by table: ``/etc/fumehood/config.toml``, ``~/.config/fumehood/config.toml``, the file of ``--config`` (or
``FUMEHOOD_CONFIG``), the environment (``FUMEHOOD_…``, nested with ``__``), flags. An unknown key is refused, since a misspelt
limit would be no limit. Nothing is read from the working directory: a folder of untrusted documents must not configure
what guards against them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import platformdirs
from pydantic import BaseModel, ByteSize, ConfigDict, Field, TypeAdapter, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from fumehood.errors import InputError
from fumehood.limits import Limits

SYSTEM_FILE: Final = Path("/etc/fumehood/config.toml")
CONFIG_VARIABLE: Final = "FUMEHOOD_CONFIG"
_FILES_HINT: Final = "`fumehood config show` lists every setting and the files that are read."

#: Variables with our prefix that are no settings.
_OTHER_VARIABLES: Final = frozenset({
    CONFIG_VARIABLE, "FUMEHOOD_DEBIAN_MIRROR", "FUMEHOOD_HTTP_TOKEN", "FUMEHOOD_YES", "FUMEHOOD_CORPUS", "FUMEHOOD_CORPUS_LIMIT",
    "FUMEHOOD_CHAOS", "FUMEHOOD_CHAOS_SEED",
})  # fmt: skip

PREFIX: Final = "FUMEHOOD_"


def user_file() -> Path:
    """The user's file. Raises `RuntimeError` where there is no home folder."""
    return platformdirs.user_config_path("fumehood") / "config.toml"


class StoreSettings(BaseModel):
    """Bounds of what is remembered of documents already read. In memory only."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    documents: int = Field(default=64, ge=0)
    total_bytes: ByteSize = Field(default=ByteSize(256 * 1024 * 1024), ge=0)


class PoolSettings(BaseModel):
    """Spare containers that wait for documents."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    spares: int | None = Field(default=None, ge=0, le=256)
    idle_seconds: float = Field(default=900.0, gt=0, le=86_400, allow_inf_nan=False)


class Settings(BaseSettings):
    """Everything that can be configured. Frozen; ``Settings()`` reads all sources, `load_settings` also flags."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter="__", extra="forbid", frozen=True, nested_model_default_partial_update=True
    )

    allowed_roots: Annotated[tuple[Path, ...], NoDecode] = Field(
        default=(), description="Folders below which the server reads files by path; in the environment separated as PATH is."
    )
    engine: str | None = Field(
        default=None, description="Address of the container engine; unset: DOCKER_HOST, then the docker context."
    )
    runtime: str = Field(
        default="auto",
        min_length=1,
        description="Container runtime by the engine's name for it; auto: gVisor (runsc) where it can be proved, else the engine's default.",
    )
    accept_weaker: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(), description="Facts of `fumehood doctor` that may be missing; every result then says so."
    )
    output_dir: Path | None = Field(
        default=None, description="Where tools that write files put them; unset: the working directory."
    )
    jobs: int = Field(
        default_factory=lambda: max(1, min(os.cpu_count() or 1, 8)), ge=1, le=256, description="Documents read at a time."
    )
    queue: int = Field(default=16, ge=0, le=1024, description="Documents that wait for a place; more are refused as busy.")
    sanitize: Literal["strip", "escape", "keep"] = Field(
        default="strip", description="Invisible characters in md, text and html."
    )
    limits: Limits = Field(default_factory=Limits, description="Bounds of one document; a request can only lower them.")
    store: StoreSettings = Field(default_factory=StoreSettings)
    pool: PoolSettings = Field(default_factory=PoolSettings, description="Spare containers.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - named by the base; no .env is ever read
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the same
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        files = TomlConfigSettingsSource(settings_cls, toml_file=[path for _, path in config_files()], deep_merge=True)
        return init_settings, env_settings, files

    @field_validator("allowed_roots", mode="before")
    @classmethod
    def _split_roots(cls, value: object) -> object:
        return [part for part in value.split(os.pathsep) if part] if isinstance(value, str) else value

    @field_validator("allowed_roots", mode="after")
    @classmethod
    def _absolute_roots(cls, value: tuple[Path, ...]) -> tuple[Path, ...]:
        expanded = tuple(path.expanduser() for path in value)
        if any(not path.is_absolute() for path in expanded):
            raise ValueError("an allowed root is an absolute path")
        return expanded

    @field_validator("accept_weaker", mode="before")
    @classmethod
    def _split_facts(cls, value: object) -> object:
        return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value

    @model_validator(mode="before")
    @classmethod
    def _read_limits(cls, values: Any) -> Any:
        limits = values.get("limits") if isinstance(values, dict) else None
        if not isinstance(limits, Mapping):
            return values
        known = {field.name: field for field in dataclasses.fields(Limits)}
        unknown = sorted(set(limits) - set(known))
        if unknown:
            raise ValueError(f"limits.{unknown[0]}: there is no such limit")
        return {**values, "limits": {name: _size(name, value) for name, value in limits.items()}}

    @field_validator("limits", mode="after")
    @classmethod
    def _positive_limits(cls, value: Limits) -> Limits:
        for name, number in value.as_dict().items():
            if not 0 < number < float("inf"):
                raise ValueError(f"limits.{name}: a limit is a positive number")
        return value.in_pages()


def _size(name: str, value: Any) -> Any:
    """Sizes may be written for people (``512 MiB``)."""
    return int(TypeAdapter(ByteSize).validate_python(value)) if name.endswith("_bytes") and isinstance(value, str) else value


def config_files() -> list[tuple[str, Path]]:
    """The files that are read, weakest first, as (label, path). The system's and the user's need not exist.

    Raises:
        InputError: ``invalid-argument`` when the file that was named is not there, or any is there and cannot be read: what
            it says might be a limit.
    """
    files = [("system", SYSTEM_FILE)]
    with contextlib.suppress(RuntimeError):  # no home folder, no file
        files.append(("user", user_file()))
    named = os.environ.get(CONFIG_VARIABLE)
    if named:
        files.append(("named", Path(named)))
    for label, path in files:
        _check(path, needed=label == "named")
    return files


def _check(path: Path, *, needed: bool) -> None:
    try:
        if path.is_file():
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC))
            return
        if needed or os.path.lexists(path):
            why = "it is no regular file" if path.exists() else "it does not exist"
            raise InputError("invalid-argument", f"the configuration file {path} cannot be read: {why}", hint=_FILES_HINT)
    except OSError as error:
        why = os.strerror(error.errno or 0).lower()
        raise InputError("invalid-argument", f"the configuration file {path} cannot be read: {why}", hint=_FILES_HINT) from None


def load_settings(
    *, accept_weaker: Sequence[str] = (), extra_roots: Iterable[Path] = (), jobs: int | None = None, **flags: Any
) -> Settings:
    """All sources, then flags: those of *flags* that are not None replace, *accept_weaker* and *extra_roots* add.

    Raises:
        InputError: ``invalid-argument``, naming the key and where it stands.
    """
    given = {name: value for name, value in {**flags, "jobs": jobs}.items() if value is not None}
    try:
        settings = Settings(**given)
        additions: dict[str, Any] = {}
        if accept_weaker:
            additions["accept_weaker"] = (*settings.accept_weaker, *accept_weaker)
        roots = tuple(Path(os.path.abspath(root)) for root in extra_roots)  # noqa: PTH100 - `..` goes, links stay
        if roots:
            additions["allowed_roots"] = (*settings.allowed_roots, *roots)
        return settings.model_copy(update=additions) if additions else settings
    except ValidationError as error:
        raise _refused(error) from None
    except ValueError as error:  # no TOML (TOMLDecodeError), no JSON in the environment (SettingsError)
        raise InputError("invalid-argument", f"the configuration cannot be read: {error}", hint=_FILES_HINT) from None


def _refused(error: ValidationError) -> InputError:
    first = error.errors(include_url=False, include_input=False)[0]
    key = ".".join(str(part) for part in first["loc"])
    what = "there is no such setting" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
    return InputError(
        "invalid-argument",
        f"configuration: {key + ': ' if key else ''}{what}",
        hint=_FILES_HINT,
    )


def unknown_variables() -> list[str]:
    """Environment variables with our prefix that are no setting: most likely misspelt."""
    fields = {name.upper() for name in Settings.model_fields}
    return sorted(
        name
        for name in os.environ
        if name.startswith(PREFIX) and name not in _OTHER_VARIABLES and name.removeprefix(PREFIX).split("__")[0] not in fields
    )
