"""The package as it is installed."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1]


def test_builds_a_wheel_without_a_network(tmp_path: Path) -> None:
    pytest.importorskip("wheel")
    build = "import sys; from setuptools.build_meta import build_wheel; print(build_wheel(sys.argv[1]))"
    source = tmp_path / "source"
    # Setuptools leaves its traces beside the sources.
    subprocess.run(["cp", "-rL", str(PACKAGE), str(source)], check=True)
    built = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=source, check=True, capture_output=True, text=True
    )
    wheel = tmp_path / built.stdout.splitlines()[-1]
    names = zipfile.ZipFile(wheel).namelist()
    assert {"inferlog/py.typed", "inferlog/_wire.py", "inferlog/_protocol/exchange.py"} <= set(names)
    assert any(name.endswith("/LICENSE") for name in names)
    assert not any("test" in name for name in names)
    show = "import inferlog; print(inferlog.Inferlog(url='http://127.0.0.1'), inferlog.__file__)"
    shown = subprocess.run(
        [sys.executable, "-c", show], env={"PYTHONPATH": str(wheel)}, cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert shown.stdout.startswith("Inferlog(url='http://127.0.0.1') " + str(wheel))
