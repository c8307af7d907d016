import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { explanationsOf, jsonHash } from 'durabench/suite';
import { z } from 'zod';
import { manifest } from './plans.mjs';

const folder = import.meta.dirname;
const nothing = z.strictObject({});
const options = z.strictObject({ prompt: z.string() });

async function questions() {
  const text = await readFile(join(folder, 'questions.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function taskOf({ id }) {
  return (await questions()).find((task) => task.id === id);
}

async function generate(context) {
  const { id, question } = await taskOf(context.task);
  const { prompt } = options.parse(context.system.options);
  const messages = [
    { role: 'system', content: prompt },
    { role: 'user', content: question },
  ];
  const { text } = await context.ask({ purpose: 'generate', ordinal: 0, prompt: `marbles@1 ${id}`, messages });
  const { sha256 } = await context.attach(text, { name: 'answer.txt', mediaType: 'text/plain' });
  return { result: { answer: sha256 } };
}

async function score(context) {
  const said = (await context.blobs.get(context.input.answer)).toString('utf8').trim();
  const passed = said === (await taskOf(context.task)).answer;
  return { result: { passed, reasons: passed ? [] : ['not-equal'], metrics: {} } };
}

async function select() {
  const tasks = (await questions()).map((task) => {
    return { id: task.id, sha256: jsonHash(task), group: 'boxes', category: null, candidateScope: null };
  });
  return { suite: manifest.id, label: `marbles (${tasks.length} tasks)`, digest: jsonHash(tasks), tasks };
}

export const suite = {
  manifest,
  folder,
  schemas: { dataset: nothing, judge: nothing, vote: nothing, options },
  generators: {
    model: {
      description: 'asks a model',
      needsModel: true,
      needsPath: false,
      purposes: ['generate'],
      phase: 'generate',
    },
  },
  campaignProblems: () => [],
  images: () => [],
  dataset: {
    projects: [],
    select,
    fetch: async () => ({ tasks: (await questions()).length, digest: (await select()).digest }),
  },
  trialSettings: () => ({}),
  stages: { generate, score },
  taskText: async (task) => {
    const { question, answer } = await taskOf(task);
    return { asked: question, test: { name: 'answer', text: answer } };
  },
  explanations: explanationsOf('reason', {
    'not-equal': ['The answer is another one.', 'The model is wrong.', '`durabench logs TRIAL` shows what it said.'],
  }),
  resultColumns: [],
};
