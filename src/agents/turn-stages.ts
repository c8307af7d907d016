import type { WorkspaceRef } from '../contract/sandbox-result.js';
import { DomainFailure } from '../domain/failure/domain-failure.js';
import type { FailureType } from '../contract/failure.js';
import { storableText } from '../domain/text/storable.js';
import type { StageContext, StageResult } from '../suite/stage.js';
import { toolDefinitions, type Agent, type ToolEnd } from './agent-tool.js';
import { conversation } from './loop/conversation.js';
import { cutMiddle, OBSERVATION } from './loop/cut-middle.js';
import { readAction } from './loop/read-action.js';
import type { Acted, AgentStop, Said, Thought, TurnRecord } from './loop/turns.js';

/** What ends the work instead of failing the trial: what was made until then is final. */
const STOPS: Partial<Record<FailureType, AgentStop>> = {
  'system.limit-reached': 'money',
  'model.context-length': 'context',
  'model.content-policy': 'refused',
};

const TURN = { mediaType: 'application/json' };

/** A step `think/N`: asks the model what to do next, the conversation rebuilt from the records of the turns before. */
export async function think(context: StageContext, { prompt, tools }: Agent): Promise<StageResult> {
  const { turn, history } = context.input as { turn: number; history: string | null };
  const messages = conversation(prompt.messages, await turnsUpTo(context, history));
  const body = { messages, tools: toolDefinitions(tools) };
  const names = tools.map(({ name }) => name);
  try {
    const answer = await context.ask({ purpose: 'generate', ordinal: turn, prompt: prompt.id, messages: [], body });
    const { problem, ...said } = readAction(answer, names);
    const thought = said.action === null ? null : await keep(context, `thought-${turn}.json`, said);
    if (thought !== null) return resultOf({ thought, tool: said.action?.tool ?? '' });
    const observation = `This answer was not understood, and nothing was done. ${problem ?? ''}`.trim();
    return resultOf({ history: await keepTurn(context, { turn, previous: history, said, observation }) });
  } catch (error) {
    const ends = error instanceof DomainFailure ? STOPS[error.type] : undefined;
    if (ends === undefined) throw error;
    return resultOf({ ends });
  }
}

/** A step `act/N`: does what was thought, and records the turn. */
export async function act(context: StageContext, { tools }: Agent): Promise<StageResult> {
  const { turn, history, thought, workspace } = context.input as unknown as ActInput;
  const said = await readBlob<Said>(context, thought);
  const { action } = said;
  const tool = tools.find(({ name }) => name === action?.tool);
  if (tool === undefined || action === null) throw new DomainFailure('harness.bug', `there is no tool ${action?.tool}`);
  const input = tool.input.safeParse(action.input);
  const done: ToolEnd = input.success
    ? await tool.run(context, input.data, { turn, workspace, earlier: () => turnsUpTo(context, history) })
    : { observation: `Nothing was done: ${wrong(input.error.issues)}`, workspace, seconds: 0 };
  const observation = storableText(cutMiddle(done.observation, OBSERVATION));
  const acted: Acted = {
    history: await keepTurn(context, { turn, previous: history, said, observation, ...keptOf(done) }),
    workspace: done.workspace,
    seconds: done.seconds,
    isLast: input.success && (done.isLast ?? tool.isLast === true),
  };
  return { result: { ...acted, workspace: acted.workspace && { ...acted.workspace } } };
}

interface ActInput {
  turn: number;
  history: string | null;
  thought: string;
  workspace: WorkspaceRef | null;
}

const keptOf = ({ kept }: ToolEnd): Pick<TurnRecord, 'kept'> => (kept === undefined ? {} : { kept });

const resultOf = (thought: Thought): StageResult => ({ result: { ...thought } });

const wrong = (issues: readonly { path: PropertyKey[]; message: string }[]): string =>
  issues.map(({ path, message }) => `${path.map(String).join('.') || 'arguments'}: ${message}`).join('; ');

async function keep(context: StageContext, name: string, document: object): Promise<string> {
  return (await context.attach(JSON.stringify(document), { ...TURN, name })).sha256;
}

const keepTurn = (context: StageContext, record: TurnRecord): Promise<string> =>
  keep(context, `turn-${record.turn}.json`, record);

/** The records of all turns up to one, oldest first. */
export async function turnsUpTo(context: Pick<StageContext, 'blobs'>, last: string | null): Promise<TurnRecord[]> {
  const turns: TurnRecord[] = [];
  for (let at = last; at !== null;) {
    const record = await readBlob<TurnRecord>(context, at);
    turns.unshift(record);
    at = record.previous;
  }
  return turns;
}

async function readBlob<Document extends object>(
  { blobs }: Pick<StageContext, 'blobs'>,
  sha256: string,
): Promise<Document> {
  return JSON.parse((await blobs.get(sha256)).toString('utf8')) as Document;
}
