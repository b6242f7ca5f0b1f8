"""Only the image of a lock is run: same layers, same config, and by the id that was looked at."""

import pytest

from fumehood.errors import FumehoodError
from fumehood.sandbox import image_trust
from fumehood.sandbox.image_lock import LockedImage, remember
from fumehood.sandbox.image_recipe import load_recipe
from fumehood.sandbox.image_trust import BUILDERS_PATH, EXPECTED_CONFIG, LABEL_IMAGE, LABEL_RECIPE, differences, trusted_image

LAYERS = ["sha256:" + "1" * 64, "sha256:" + "2" * 64]


class FakeEngine:
    """Answers like an engine that has *images*, by id."""

    def __init__(self, *images):
        self.images = {image["Id"]: image for image in images}

    def platform(self):
        return "linux/amd64"

    def inspect(self, reference):
        return self.images.get(reference)

    def find(self, labels):
        return [i for i, image in self.images.items() if labels.items() <= (image["Config"].get("Labels") or {}).items()]


def inspected(identity="sha256:aaa", *, layers=LAYERS, labels=None, **config):
    return {
        "Id": identity,
        "Os": "linux",
        "Architecture": "amd64",
        "RootFS": {"Type": "layers", "Layers": list(layers)},
        "Config": {"User": "65532:65532", "Env": [BUILDERS_PATH], "Labels": labels} | config,
    }


def locked(**changes):
    recipe = load_recipe()
    return LockedImage(
        **{
            "name": "core",
            "recipe": recipe.hash,
            "platform": "linux/amd64",
            "layers": tuple(LAYERS),
            "config": dict(EXPECTED_CONFIG),
            "id": "sha256:aaa",
        }
        | changes
    )


@pytest.fixture(autouse=True)
def own_state(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def code_of(engine):
    with pytest.raises(FumehoodError) as caught:
        trusted_image(engine=engine)
    return caught.value.code


def test_the_locked_image_is_trusted_by_id():
    remember(locked())
    trusted = trusted_image(engine=FakeEngine(inspected()))
    assert (trusted.id, trusted.source, trusted.lock_id, trusted.python) == (
        "sha256:aaa",
        "local",
        locked().lock_id,
        "/usr/bin/python3",
    )


def test_the_usual_case_asks_the_engine_one_question():
    """Listing images and asking for the version take an engine hundreds of milliseconds; every process would pay them."""
    remember(locked())
    engine = FakeEngine(inspected())
    engine.find = engine.platform = lambda *_: pytest.fail("a slow question")
    assert trusted_image(engine=engine).id == "sha256:aaa"


def test_another_store_gives_the_same_layers_another_id():
    """Classic and containerd stores name one image differently; the label finds it, the layers decide."""
    remember(locked())
    labels = {LABEL_IMAGE: "core", LABEL_RECIPE: load_recipe().hash}
    assert trusted_image(engine=FakeEngine(inspected("sha256:bbb", labels=labels))).id == "sha256:bbb"


def test_a_label_alone_is_not_trusted():
    remember(locked())
    labels = {LABEL_IMAGE: "core", LABEL_RECIPE: load_recipe().hash}
    assert (
        code_of(FakeEngine(inspected("sha256:bbb", labels=labels, layers=[*LAYERS, "sha256:" + "3" * 64]))) == "image-mismatch"
    )


def test_a_forged_one_beside_the_real_one_is_passed_over():
    remember(locked(id="sha256:gone"))
    labels = {LABEL_IMAGE: "core", LABEL_RECIPE: load_recipe().hash}
    engine = FakeEngine(inspected("sha256:forged", labels=labels, layers=LAYERS[::-1]), inspected("sha256:real", labels=labels))
    assert trusted_image(engine=engine).id == "sha256:real"


def test_missing_is_said_apart_from_mismatch():
    assert code_of(FakeEngine(inspected())) == "image-missing"
    remember(locked())
    assert code_of(FakeEngine()) == "image-missing"


def test_an_image_of_another_recipe_is_not_run():
    remember(locked(recipe="0" * 64))
    assert code_of(FakeEngine(inspected())) == "image-missing"
    assert trusted_image(engine=FakeEngine(inspected()), any_recipe=True).id == "sha256:aaa"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("User", ""),
        ("User", "root"),
        ("User", "65532"),
        ("Env", ["LD_PRELOAD=/x.so"]),
        ("Env", [BUILDERS_PATH, "PYTHONPATH=/tmp"]),
        ("Env", ["PATH=/tmp"]),
        ("Entrypoint", ["/bin/sh"]),
        ("Cmd", ["sh"]),
        ("Volumes", {"/data": {}}),
        ("WorkingDir", "/proc/self/fd/8"),
        ("Healthcheck", {"Test": ["CMD", "true"]}),
        ("ExposedPorts", {"80/tcp": {}}),
        ("OnBuild", ["RUN true"]),
        ("Shell", ["/bin/sh"]),
        ("StopSignal", "SIGUSR1"),
    ],
)
def test_every_field_that_decides_something_is_compared(field, value):
    remember(locked())
    image = inspected(**{field: value})
    assert [d.what for d in differences(image, locked())] == [f"config {field}"]
    assert code_of(FakeEngine(image)) == "image-mismatch"


@pytest.mark.parametrize(
    "nothing",
    [{"Env": None}, {"Env": []}, {"WorkingDir": "/"}, {"Cmd": []}, {"Volumes": {}}, {"Entrypoint": None}, {"StopSignal": ""}],
)
def test_each_engines_way_of_saying_nothing_is_nothing(nothing):
    assert differences(inspected(**nothing), locked()) == []


def test_another_platform_is_a_difference():
    assert [d.what for d in differences(inspected() | {"Architecture": "arm64"}, locked())] == ["platform"]


def test_an_inspection_without_layers_matches_no_lock():
    assert differences({"Id": "x", "Os": "linux", "Architecture": "amd64", "Config": {"User": "65532:65532"}}, locked())


def test_shipped_layers_vouch_for_an_image_that_was_not_built_here(monkeypatch):
    monkeypatch.setattr(image_trust, "published_image", lambda name, platform, root: locked(id=""))
    labels = {LABEL_IMAGE: "core", LABEL_RECIPE: load_recipe().hash}
    trusted = trusted_image(engine=FakeEngine(inspected("sha256:pulled", labels=labels)))
    assert (trusted.id, trusted.source) == ("sha256:pulled", "shipped")
