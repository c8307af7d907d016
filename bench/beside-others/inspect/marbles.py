from inspect_ai import Task, task
from inspect_ai.dataset import FieldSpec, json_dataset
from inspect_ai.scorer import exact
from inspect_ai.solver import generate, system_message


@task
def marbles(prompt: str = "Answer with the number alone."):
    return Task(
        dataset=json_dataset("questions.jsonl", FieldSpec(input="question", target="answer", id="id")),
        solver=[system_message(prompt), generate()],
        scorer=exact(),
    )
