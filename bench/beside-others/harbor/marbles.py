from harbor.agents.base import BaseAgent
from harbor.llms.lite_llm import LiteLLM


class Marbles(BaseAgent):
    """Asks the model once, and leaves what it says in the container."""

    def __init__(self, *args, prompt="Answer with the number alone.", api_base=None, **kwargs):
        super().__init__(*args, **kwargs)
        self.system = [{"role": "system", "content": prompt}]
        self.llm = LiteLLM(model_name=self.model_name, api_base=api_base)

    @staticmethod
    def name():
        return "marbles"

    def version(self):
        return "1"

    async def setup(self, environment):
        pass

    async def run(self, instruction, environment, context):
        reply = await self.llm.call(instruction, self.system, logging_path=self.logs_dir / "call.json")
        (self.logs_dir / "answer.txt").write_text(reply.content)
        await environment.upload_file(self.logs_dir / "answer.txt", "/app/answer.txt")
