import type { ScriptedPlayer } from 'durabench/suite';
import type { RegexTask } from './tasks.js';

/** How a rule of `durabench mock-model` may have the model answer. */
const ANSWERS: Record<string, (task: RegexTask) => string> = {
  competent: ({ reference }) => fenced(reference),
  'too-wide': () => fenced('.*'),
  endless: () => fenced(String.raw`(.?){200}\b\B`),
  malformed: () => fenced('('),
  silent: () => 'I would rather not.',
};

/** Plays the model of this suite, so that campaigns can be tried without a key (`rules.yaml`). */
export function createPlayer(tasks: readonly RegexTask[]): ScriptedPlayer {
  return {
    plays: Object.keys(ANSWERS),
    answer(messages, play) {
      const asked = messages.at(-1)?.content ?? '';
      const task = tasks.find(({ description }) => asked.includes(description));
      return (task && ANSWERS[play.as]?.(task)) ?? 'I know nothing about this.';
    },
  };
}

function fenced(pattern: string): string {
  return `Here it is:\n\n\`\`\`\n${pattern}\n\`\`\`\n`;
}
