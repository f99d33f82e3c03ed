"""Fixtures of a running server (`INFERLOG_TEST_URL`, `INFERLOG_TEST_KEY`), without which its tests are skipped.

With `REPORT`, each outcome is a line of JSON in that file.
"""

import json
import os

import pytest
from inferlog import Inferlog


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    path = os.environ.get("REPORT")
    if path is None or (report.when != "call" and report.passed):
        return
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps({"id": report.nodeid, "outcome": report.outcome, "text": report.longreprtext}) + "\n")


@pytest.fixture(scope="session")
def options() -> dict:
    url, key = os.environ.get("INFERLOG_TEST_URL"), os.environ.get("INFERLOG_TEST_KEY")
    if url is None:
        pytest.skip("no server")
    return {"url": url, "key": key}


@pytest.fixture(scope="session")
def client(options: dict):
    with Inferlog(**options) as client:
        yield client
