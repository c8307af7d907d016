"""
Which calls were sent again after a kill, by the log of the scripted model.

    python3 bench/beside-others/asked_twice.py LOG FIRST KILLED

FIRST is the line of the log at which the run begins, KILLED the time of the kill. A call counts as answered if its answer, which takes a
second, was out before.
"""

import json
import sys
from datetime import datetime, timedelta
from pathlib import Path

ANSWER = timedelta(seconds=1)


def main(log: str, first: str, killed: str):
    rows = [json.loads(line) for line in Path(log).read_text().splitlines()[int(first) - 1 :]]
    at = {id(row): datetime.fromisoformat(row["at"].replace("Z", "+00:00")) for row in rows}
    end = datetime.fromisoformat(killed.replace("Z", "+00:00"))
    before = {row["call"]: at[id(row)] for row in reversed(rows) if at[id(row)] <= end}
    again = [row["call"] for row in rows if at[id(row)] > end and row["call"] in before]
    since = sorted((end - before[call] - ANSWER).total_seconds() for call in again)
    answered = [f"{seconds:.2f}" for seconds in since if seconds >= 0]
    print(f"{len(before)} calls before the kill; sent again: {len(again) - len(answered)} in flight, {len(answered)} answered")
    print(f"answered so many seconds before the kill: {', '.join(answered) or 'none'}")


if __name__ == "__main__":
    main(*sys.argv[1:])
