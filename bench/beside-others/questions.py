"""
The job of docs/results/beside-others.md: 100 questions with an exact answer, and two prompts.

    python3 bench/beside-others/questions.py FOLDER [IMAGE]

writes `questions.jsonl`, `tests.jsonl` for promptfoo and, for Harbor, a folder `tasks/` with a task a question, whose containers are of
IMAGE: one that runs as root and has a folder /app. The answer stands in the question, so that the
scripted model (rules.yaml) can give it, or the other number.
"""

import json
import sys
from pathlib import Path

TASK = """\
schema_version = "1.0"

[agent]
timeout_sec = 120

[verifier]
timeout_sec = 60

[environment]
docker_image = "{image}"
workdir = "/app"
"""

CHECK = """\
#!/bin/sh
mkdir -p /logs/verifier
if [ "$(cat /app/answer.txt 2>/dev/null)" = "{answer}" ]; then echo 1; else echo 0; fi > /logs/verifier/reward.txt
"""


def questions():
    for i in range(1, 101):
        red, blue = 100 + i * 37 % 400, 500 + i * 53 % 400
        question = f"Box {i:03} holds {red} red and {blue} blue marbles. How many blue marbles does box {i:03} hold?"
        yield {"id": f"box-{i:03}", "question": question, "answer": str(blue)}


def write(folder: Path, image: str):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "questions.jsonl").write_text("".join(json.dumps(each) + "\n" for each in questions()))
    (folder / "tests.jsonl").write_text("".join(json.dumps({"vars": each}) + "\n" for each in questions()))
    for each in questions():
        task = folder / "tasks" / each["id"]
        for part in ("environment", "tests"):
            (task / part).mkdir(parents=True, exist_ok=True)
        (task / "task.toml").write_text(TASK.format(image=image))
        (task / "instruction.md").write_text(each["question"])
        (task / "tests" / "test.sh").write_text(CHECK.format(answer=each["answer"]))


if __name__ == "__main__":
    write(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "debian:bookworm-slim")
