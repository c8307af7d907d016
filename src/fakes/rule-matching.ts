import { createHash } from 'node:crypto';
import type { ModelRule, ModelRules, RuleMatch, ScriptedReply } from './model-rules.js';

/** What a rule looks at. */
interface ScriptedRequest {
  purpose: string | null;
  /** Identifies sends of one logical call. */
  call: string;
  model: string;
  system: string;
  /** The last message of the user or of a tool. */
  lastSaid: string;
  /** 1 where nothing has been answered yet. */
  turn: number;
  tools: readonly string[];
}

/** The rule that answers, with the groups of its regex. */
export interface ChosenRule {
  name: string;
  reply: ScriptedReply;
  groups: Record<string, string>;
}

/** Chooses rules in order. Keeps the counts behind `nth`, `attempt` and `times`, so one matcher per server. */
export interface RuleMatcher {
  choose(request: ScriptedRequest): ChosenRule | { unmatched: string };
}

/** A matcher over parsed rules. */
export function createRuleMatcher(rules: ModelRules): RuleMatcher {
  const states = rules.rules.map((rule, index) => ({ rule, name: rule.name ?? `rule ${index + 1}`, seen: 0, used: 0 }));
  const sends = new Map<string, number>();

  return {
    choose(request) {
      const attempt = (sends.get(request.call) ?? 0) + 1;
      sends.set(request.call, attempt);
      for (const state of states) {
        const { rule } = state;
        if (unmetCondition(rule, request) !== undefined) continue;
        if (rule.match.attempt !== undefined && rule.match.attempt !== attempt) continue;
        state.seen += 1;
        if (rule.match.nth !== undefined && rule.match.nth !== state.seen) continue;
        if (rule.times !== undefined && state.used >= rule.times) continue;
        state.used += 1;
        return { name: state.name, reply: rule, groups: groupsOf(rule.match, request) };
      }
      if (rules.default) return { name: 'default', reply: rules.default, groups: {} };
      return { unmatched: nearestRule(states, request) };
    },
  };
}

/** The first condition that does not hold, in words; undefined when all hold (counts aside). */
function unmetCondition(rule: ModelRule, request: ScriptedRequest): string | undefined {
  return conditions(rule, request).find((condition) => !condition.holds)?.text;
}

function conditions(
  { match, file = '', answers }: ModelRule,
  request: ScriptedRequest,
): { text: string; holds: boolean }[] {
  const { purpose, model, regex, turn, tool, share, seed = 0 } = match;
  return [
    ...(purpose === undefined ? [] : [{ text: `purpose: ${purpose}`, holds: request.purpose === purpose }]),
    ...(model === undefined ? [] : [{ text: `model: ${model}`, holds: request.model === model }]),
    ...(turn === undefined ? [] : [{ text: `turn: ${turn}`, holds: request.turn === turn }]),
    ...(tool === undefined ? [] : [{ text: `tool: ${tool}`, holds: request.tools.includes(tool) }]),
    ...(match.system ?? []).map((text) => ({ text: `system: ${text}`, holds: request.system.includes(text) })),
    ...(match.contains ?? []).map((text) => ({ text: `contains: ${text}`, holds: request.lastSaid.includes(text) })),
    ...(regex === undefined ? [] : [{ text: `regex: ${regex}`, holds: new RegExp(regex, 's').test(request.lastSaid) }]),
    ...(share === undefined ? [] : [{ text: `share: ${share}`, holds: chanceOf(request.lastSaid, seed) < share }]),
    ...(answers === undefined
      ? []
      : [{ text: `file: ${file}`, holds: Object.hasOwn(answers, filled(file, groupsOf(match, request))) }]),
  ];
}

/** A number from 0 to 1, 1 excluded, drawn once for each text and seed. */
const chanceOf = (text: string, seed: number): number =>
  createHash('sha256').update(`${seed}/${text}`).digest().readUIntBE(0, 6) / 2 ** 48;

/** A text of a rule with the groups of its regex; as it is written where there is none at all. */
export function filled(template: string, groups: Record<string, string>): string {
  if (Object.keys(groups).length === 0) return template;
  return template.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => groups[name] ?? '');
}

function groupsOf(match: RuleMatch, request: ScriptedRequest): Record<string, string> {
  if (match.regex === undefined) return {};
  const found = new RegExp(match.regex, 's').exec(request.lastSaid);
  const numbered = Object.fromEntries([...(found ?? [])].map((text, index) => [String(index), text ?? '']));
  return { ...numbered, ...(found?.groups ?? {}) };
}

function nearestRule(states: { rule: ModelRule; name: string }[], request: ScriptedRequest): string {
  const ranked = states
    .map(({ rule, name }) => {
      const all = conditions(rule, request);
      return { name, met: all.filter((one) => one.holds).length, unmet: all.filter((one) => !one.holds) };
    })
    .sort((a, b) => a.unmet.length - b.unmet.length || b.met - a.met);
  const nearest = ranked[0];
  if (!nearest) return 'The rules file has no rules.';
  if (nearest.unmet.length === 0) return `Nearest is "${nearest.name}", whose nth, attempt or times has passed.`;
  return `Nearest is "${nearest.name}", but this does not hold: ${nearest.unmet.map((one) => one.text).join('; ')}.`;
}
