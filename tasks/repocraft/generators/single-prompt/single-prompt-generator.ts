import type { ModelAnswer } from '../../../../src/ports/model.js';
import type { StageContext } from '../../../../src/suite/stage.js';
import { loadPrompt } from '../../../../src/suite-kit/load-prompt.js';
import type { Generator, MadeCandidate } from '../generator.js';
import { purposeOf, type Purpose } from '../purposes.js';
import { readFiles } from '../../../../src/suite-kit/answer-files.js';

/** The floor any planning system has to beat: the purpose in, one answer with files out. */
export const singlePromptGenerator: Generator = {
  needsModel: true,
  needsPath: false,
  purposes: ['generate'],
  phase: 'generate',
  description: 'one model call that returns the files of the repository',
  provenance: 'generated',
  options: ['purpose'],
  make: async (context) => candidateOf(await askForFiles(context, purposeOf(context))),
};

async function askForFiles(context: StageContext, purpose: Purpose): Promise<ModelAnswer> {
  const prompt = await loadPrompt(context.suiteFolder, 'single-prompt.v1', {
    title: purpose.title,
    purpose: purpose.text,
    dependencies: purpose.dependencies.join(', '),
  });
  // Repeats are independent samples: the ordinal keeps them from sharing one answer.
  const question = { purpose: 'generate', ordinal: context.repeat, prompt: prompt.id, messages: prompt.messages };
  return context.ask(question);
}

function candidateOf(answer: ModelAnswer): MadeCandidate {
  const read = readFiles(answer.text);
  const cut = answer.finishReason === 'length' ? 'the answer ended at the output cap; ' : '';
  if ('reason' in read) return { content: new Map(), note: `${cut}${read.reason}` };
  return { content: read.files, note: cut === '' ? null : `${cut}what was complete is graded` };
}
