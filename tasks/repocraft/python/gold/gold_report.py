"""A pytest plugin for gold runs only: one JSON line per test phase into the file named by GOLD_REPORT."""

import json
import os


def pytest_runtest_logreport(report):
    with open(os.environ["GOLD_REPORT"], "a", encoding="utf-8") as out:
        reason = "" if report.passed else str(report.longrepr)[-600:]
        out.write(json.dumps({"node": report.nodeid, "phase": report.when, "outcome": report.outcome, "reason": reason}) + "\n")


def pytest_collectreport(report):
    if not report.passed:
        with open(os.environ["GOLD_REPORT"], "a", encoding="utf-8") as out:
            reason = str(report.longrepr)[-600:]
            out.write(json.dumps({"node": report.nodeid, "phase": "collect", "outcome": report.outcome, "reason": reason}) + "\n")
