import { html } from 'hono/html';
import type { TrialDetail } from '../../client/index.js';
import type { ViewedEvidence, ViewedTrial } from '../../client/view/view-source.js';
import type { EvidenceRef } from '../../contract/evidence.js';
import type { OwnerRef } from '../../contract/stage.js';
import { shown, shownLines, type Html } from '../../report/page/page-frame.js';
import { pageTable } from '../../report/page/page-table.js';
import { messageLines } from '../../report/text/message-lines.js';
import { withOwnCommands } from '../../report/text/own-commands.js';
import { counted, dollars, duration, grouped } from '../../report/text/number-text.js';
import { diffPart } from '../diff-part.js';
import { jsonPart } from '../json-part.js';
import type { Links } from '../links.js';
import { facts, folded, outcomeMark, pairs, textBlock } from '../text-parts.js';
import { stepName } from '../waterfall.js';
import { metricText } from './trials-page.js';

/** What became of a trial, in a list of labels. */
export function trialFacts(links: Links, { detail, outline, generation }: ViewedTrial): Html {
  const { trial, runs, explanation, failureClass, temporalUi, again } = detail;
  const blame = trial.blame === null ? '' : html`, blame ${trial.blame}`;
  const own = outline.columns.map(({ title, metric }) => `${title} ${metricText(trial.metrics[metric])}`);
  const message =
    trial.message === null
      ? null
      : messageLines(withOwnCommands({ message: trial.message, ...trial.advice }, trial.id), 2_000);
  return facts([
    ['outcome', html`${outcomeMark(trial)} ${shown(trial.reason ?? '', 200)}${blame}`],
    ['message', message && html`${shownLines(message.join('\n'), 2_000)}`],
    ['because', explanation && html`${shownLines(messageLines(explanation, 2_000).join('\n'), 2_000)}`],
    ['class', failureClass === trial.reason ? null : failureClass],
    ['system', trial.systemId],
    ['group', trial.category === null ? trial.group : `${trial.group}, ${trial.category}`],
    ['result columns', own.length === 0 ? null : own.join(', ')],
    ['metrics', metricsPart(trial.metrics)],
    ['spent', `${dollars(trial.costMicroUsd / 1e6)}, ${grouped(trial.tokens)} tokens`],
    ['run', runs.length > 1 ? `${trial.n} of ${runs.length} counts` : null],
    [
      'candidate',
      generation === null ? null : html`<a href="${links.generation(generation)}">${shown(generation, 120)}</a>`,
    ],
    ['Temporal UI', temporalUi === null || !links.isServed ? null : html`<a href="${temporalUi}">its workflow</a>`],
    ['run again', again === null ? null : html`<code>${again}</code>`],
  ]);
}

function metricsPart(metrics: TrialDetail['trial']['metrics']): Html | null {
  const all = Object.entries(metrics).map(([name, value]) => [name, metricText(value)] as const);
  return all.length === 0 ? null : folded(counted(all.length, 'metric'), pairs(all));
}

/** What was asked, and how the answer is tested. */
export function taskPart(task: TrialDetail['task']): Html {
  if (task === null) return html`<p>Its text is not on this machine, or its suite has none.</p>`;
  const { asked, test } = task;
  return html`<h3>Asked</h3>
    ${textBlock(asked)}
    ${
      test === null
        ? ''
        : html`<h3>Test: ${shown(test.name, 200)}</h3>
            ${textBlock(test.text)}`
    }`;
}

/** What each voter said of each match. */
export function votesPart(votes: TrialDetail['votes']): Html {
  return pageTable({
    title: 'Votes',
    columns: ['match', 'round', 'voter', 'model', 'answer', 'reason'].map((title) => ({ title, isNumber: false })),
    rows: votes.map((vote) => [
      html`${vote.match}`,
      html`${vote.round}`,
      html`${vote.voter}`,
      html`${shown(vote.model, 60)}`,
      html`${vote.answer}`,
      html`${shown(vote.reason, 1_000)}`,
    ]),
  });
}

/** Changes that steps made, such as an adapted test. */
export function diffsPart(diffs: ViewedTrial['diffs']): Html {
  return html`${diffs.map(
    ({ step, evidence, text }) =>
      html`<h3>${shown(stepName(step), 100)}: ${shown(evidence.name, 100)}</h3>
        ${diffPart(text)}`,
  )}`;
}

/** What each step found and left; failed attempts below. */
export function stepsPart(
  links: Links,
  owner: OwnerRef,
  detail: Pick<TrialDetail, 'steps' | 'attempts'>,
  read: Evidence,
): Html {
  const failed = detail.attempts.filter(({ failure }) => failure !== null);
  return html`${detail.steps.map((step) => {
    const seconds = duration((Date.parse(step.endedAt) - Date.parse(step.startedAt)) / 1000);
    const { answered, replayed } = step.calls;
    const calls =
      answered === 0
        ? ''
        : `, ${counted(answered, 'model call')}${replayed > 0 ? `, ${grouped(replayed)} replayed` : ''}`;
    return html`<h3>${shown(stepName(step), 100)} <small>${seconds}${calls}</small></h3>
      ${jsonPart(stepName(step), step.result)} ${evidencePart(links, owner, step.evidence, read)}`;
  })}
  ${failed.length === 0 ? '' : html`<h3>Attempts that failed</h3>`}
  ${failed.map(
    (attempt) =>
      html`<p>
          ${shown(stepName(attempt), 100)}, attempt ${attempt.attempt},
          ${attempt.endedAt.slice(0, 19).replace('T', ' ')} UTC: ${attempt.failure!.type}:
          ${shownLines(messageLines(attempt.failure!, 1_000).join('\n'), 1_000)}
        </p>
        ${evidencePart(links, owner, attempt.evidence ?? [], read)}`,
  )}`;
}

type Evidence = ReadonlyMap<string, ViewedEvidence>;

function evidencePart(links: Links, owner: OwnerRef, all: readonly EvidenceRef[], read: Evidence): Html {
  // Words of model calls stand with the calls.
  const own = all.filter(({ name }) => !/^(?:prompt|completion)-/.test(name));
  return html`${own.map((ref) => {
    const { name, sizeBytes, truncated, sha256 } = ref;
    const title = `${shown(name, 100)} (${grouped(sizeBytes)} bytes${truncated ? ', cut' : ''})`;
    const address = links.evidence(owner, sha256);
    const whole = address === null ? '' : html`<p><a href="${address}">the whole of ${shown(name, 100)}</a></p>`;
    const head = read.get(sha256)?.head ?? null;
    return folded(title, html`${head === null ? '' : textBlock(head.text, head)}${whole}`);
  })}`;
}

/** Runs of a trial; the one that counts is marked. */
export function runsPart({ trial, runs }: TrialDetail): Html {
  return pageTable({
    title: 'Runs',
    columns: ['run', 'kind', 'started (UTC)', 'end'].map((title) => ({ title, isNumber: false })),
    rows: runs.map((run) => [
      html`${run.n}${run.n === trial.n ? ' (counts)' : ''}`,
      html`${run.kind}`,
      html`${run.startedAt?.slice(0, 19).replace('T', ' ') ?? 'not started'}`,
      html`${shown([run.outcome?.replace('_', ' '), run.reason].filter(Boolean).join(': ') || 'open', 200)}`,
    ]),
  });
}
