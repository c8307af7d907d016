import { z } from 'zod';
import type { Semantics, WorkflowEvent } from '../model/model.js';
import { child, entriesOf, entryOf, textOf, textsOf, type Place } from '../nodes/node.js';
import { isTimeZone, nextFires, parseCron, shortestGap, type Cron } from '../simulation/cron.js';
import { firing } from '../simulation/fires.js';
import { detector, when, type Finding } from './kit/detector.js';
import { allPaths, begins } from './kit/reads.js';
import { firesProblems, probesShape } from './kit/runs.js';

function eventsNamed({ workflows }: Semantics, ...names: string[]): WorkflowEvent[] {
  return workflows.flatMap(({ events }) => events.filter(({ name }) => names.includes(name)));
}

function placesOf(events: WorkflowEvent[]): Place[] {
  return events.map(({ place }) => place);
}

const pushPr = detector({
  id: 't1.trigger.push_pr',
  asks: 'Exactly the events that were asked for start a run, on the branches that were asked for, and no others.',
  execution: 'partly',
  params: z.strictObject({
    events: z.array(z.string()).default(['push', 'pull_request']),
    branches: z.array(z.string()).optional(),
    /** More events that are welcome, not needed. */
    allowed: z.array(z.string()).default(['workflow_dispatch']),
    ...probesShape,
  }),
  present: (semantics) => placesOf(eventsNamed(semantics, 'push', 'pull_request')),
  problems: (semantics, { events, branches, allowed, fires, silent }) => {
    const all = semantics.workflows.flatMap((workflow) => workflow.events);
    const known = [...events, ...allowed, 'workflow_call'];
    return [
      ...events.map((name) => when(!all.some((event) => event.name === name), `there is no event ${name}`)),
      ...all.map(({ name, place }) => when(!known.includes(name), `nothing asks for the event ${name}`, place)),
      ...firesProblems(semantics, fires, silent),
      ...branchProblems(semantics, events, branches),
    ];
  },
});

function branchProblems(semantics: Semantics, events: string[], branches: string[] | undefined): Finding[] {
  if (!branches) return [];
  return Object.entries({ push: 'branch', pull_request: 'base' }).flatMap(([event, key]) => {
    if (!events.includes(event)) return [];
    const tag = event === 'push' ? [{ event, tag: 'v9.9.9' }] : [];
    const asked = branches.map((branch) => ({ event, [key]: branch }));
    return firesProblems(semantics, asked, [{ event, [key]: 'some/other-branch' }, ...tag]);
  });
}

const schedule = detector({
  id: 't1.trigger.schedule',
  asks: 'Every cron expression is valid, at least five minutes apart, and due at exactly the times that were asked for.',
  execution: 'partly',
  params: z.strictObject({ crons: z.array(z.string()).optional(), timezone: z.string().default('UTC') }),
  present: (semantics) => placesOf(eventsNamed(semantics, 'schedule')),
  problems: (semantics, { crons, timezone }) => {
    const entries = eventsNamed(semantics, 'schedule').flatMap(({ node }) => (node?.kind === 'list' ? node.items : []));
    const read = entries.map((item) => ({
      place: item.place,
      text: textOf(child(item, 'cron')) ?? '',
      cron: parseCron(textOf(child(item, 'cron')) ?? ''),
      zone: textOf(child(item, 'timezone')) ?? 'UTC',
    }));
    const wrong = read.flatMap(({ cron, text, zone, place }) => [
      when(!cron, `"${text}" is no cron expression of GitHub`, place),
      when(cron !== undefined && shortestGap(cron) < 5, `"${text}" is due more often than every five minutes`, place),
      when(!isTimeZone(zone), `there is no time zone ${zone}`, place),
    ]);
    if (wrong.some(Boolean) || !crons) return [...wrong, when(read.length === 0, 'there is no cron expression')];
    const wanted = crons.flatMap((text) => dueOf(parseCron(text), timezone));
    const found = read.flatMap(({ cron, zone }) => dueOf(cron, zone));
    return [when(!sameTimes(wanted, found), `due at other times than ${crons.join(', ')} ${timezone}`, read[0]?.place)];
  },
});

function dueOf(cron: Cron | undefined, zone: string): { cron: Cron; zone: string }[] {
  return cron ? [{ cron, zone }] : [];
}

/** Around both changes of the clock. */
const STARTS = [Date.UTC(2026, 0, 1), Date.UTC(2026, 2, 20), Date.UTC(2026, 9, 20)];

function sameTimes(wanted: { cron: Cron; zone: string }[], found: { cron: Cron; zone: string }[]): boolean {
  return STARTS.every((from) => nextFires(wanted, from, 20).join() === nextFires(found, from, 20).join());
}

const inputSchema = z.strictObject({
  type: z.string().optional(),
  required: z.boolean().optional(),
  default: z.union([z.string(), z.number(), z.boolean()]).optional(),
  options: z.array(z.string()).optional(),
});

const dispatchInputs = detector({
  id: 't1.trigger.dispatch_inputs',
  asks: 'The inputs have the names, types, defaults and options that were asked for, and each is read.',
  execution: 'behaviour',
  params: z.strictObject({ inputs: z.record(z.string(), inputSchema).default({}) }),
  present: (semantics) =>
    eventsNamed(semantics, 'workflow_dispatch').flatMap(({ node }) => entryOf(node, 'inputs')?.keyPlace ?? []),
  problems: (semantics, { inputs }) => {
    const written = eventsNamed(semantics, 'workflow_dispatch').flatMap(({ node }) => entriesOf(child(node, 'inputs')));
    const paths = allPaths(semantics).map(({ path }) => path);
    const wanted = Object.entries(inputs).flatMap(([name, spec]) => {
      const entry = written.find(({ key }) => key === name);
      if (!entry) return [{ message: `there is no input ${name}` }];
      return Object.entries(spec).flatMap(([field, value]) => {
        const node = child(entry.value, field);
        const found =
          field === 'options'
            ? textsOf(node).join()
            : (textOf(node) ?? (field === 'required' ? 'false' : field === 'type' ? 'string' : ''));
        return found === String(value)
          ? []
          : [{ message: `input ${name}: ${field} is "${found}", not "${String(value)}"`, place: entry.keyPlace }];
      });
    });
    const unread = written.map(({ key, keyPlace }) => {
      const read = paths.some((path) => begins(path, 'inputs', key) || begins(path, 'github', 'event', 'inputs', key));
      return when(!read, `input ${key} is never read`, keyPlace);
    });
    return [...wanted, ...unread];
  },
});

const repositoryDispatch = detector({
  id: 't1.trigger.repository_dispatch',
  asks: 'Exactly the custom event types that were asked for start a run, and the payload is read where that was asked for.',
  execution: 'behaviour',
  params: z.strictObject({ types: z.array(z.string()).default([]), payload: z.array(z.string()).default([]) }),
  present: (semantics) => placesOf(eventsNamed(semantics, 'repository_dispatch')),
  problems: (semantics, { types, payload }) => {
    const event = 'repository_dispatch';
    const paths = allPaths(semantics).map(({ path }) => path);
    return [
      ...types.map((action) =>
        when(firing(semantics, { event, action }).length === 0, `the type ${action} starts nothing`),
      ),
      when(firing(semantics, { event, action: 'another-type' }).length > 0, 'every type starts a run'),
      ...payload.map((key) => {
        const read = paths.some((path) => begins(path, 'github', 'event', 'client_payload', key));
        return when(!read, `github.event.client_payload.${key} is not read`);
      }),
    ];
  },
});

const FILTERS = ['branches', 'tags', 'paths'];

const filters = detector({
  id: 't1.trigger.filters',
  asks: 'Filters let through exactly the branches, tags and changed files that were asked for.',
  execution: 'static',
  params: z.strictObject(probesShape),
  present: ({ workflows }) =>
    workflows.flatMap(({ events }) =>
      events.flatMap(({ node }) =>
        FILTERS.flatMap((name) => [name, `${name}-ignore`].flatMap((key) => entryOf(node, key)?.keyPlace ?? [])),
      ),
    ),
  problems: (semantics, { fires, silent }) => [
    ...firesProblems(semantics, fires, silent),
    ...bothForms(semantics),
    ...onlyNegative(semantics),
  ],
});

function bothForms({ workflows }: Semantics): (Finding | undefined)[] {
  const events = workflows.flatMap((workflow) => workflow.events);
  return events.flatMap(({ name, node, place }) =>
    FILTERS.map((key) => {
      const both = Boolean(child(node, key) && child(node, `${key}-ignore`));
      return when(both, `${name} has ${key} and ${key}-ignore`, place);
    }),
  );
}

function onlyNegative({ workflows }: Semantics): (Finding | undefined)[] {
  const events = workflows.flatMap((workflow) => workflow.events);
  return events.flatMap(({ node, place }) =>
    FILTERS.map((key) => {
      const patterns = textsOf(child(node, key));
      const never = patterns.length > 0 && patterns.every((pattern) => pattern.startsWith('!'));
      return when(never, `${key} has patterns with ! alone, which never match`, place);
    }),
  );
}

export const TRIGGERS = [pushPr, schedule, dispatchInputs, repositoryDispatch, filters];
