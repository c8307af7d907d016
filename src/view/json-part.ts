import { html } from 'hono/html';
import type { Json, JsonObject } from '../contract/json.js';
import { jsonText } from '../domain/text/json-text.js';
import { shown, type Html } from '../report/page/page-frame.js';
import { pageTable } from '../report/page/page-table.js';
import { ABSENT } from '../report/text/number-text.js';
import { pairs, textBlock } from './text-parts.js';

const MOST_ROWS = 50;
const MOST_COLUMNS = 12;
const MOST_CHARACTERS = 8_000;

/** What a step found, whatever its suite: lists of alike things as tables, the rest as labels and values. */
export function jsonPart(title: string, value: Json): Html {
  if (!isObject(value)) return isTable(value) ? tableOf(title, value) : jsonBlock(value);
  const entries = Object.entries(value);
  const plain = entries.filter(([, each]) => isScalar(each));
  const tables = entries.filter((entry): entry is [string, JsonObject[]] => isTable(entry[1]));
  const rest = entries.filter(([, each]) => !isScalar(each) && !isTable(each) && !isEmpty(each));
  return html`${plain.length === 0 ? '' : pairs(plain.map(([name, each]) => [name, scalarText(each)]))}
  ${tables.map(([name, rows]) => tableOf(`${title}: ${name}`, rows))}
  ${rest.map(
    ([name, each]) =>
      html`<h3>${shown(name, 60)}</h3>
        ${jsonBlock(each)}`,
  )}`;
}

function tableOf(title: string, rows: readonly JsonObject[]): Html {
  const names = [...new Set(rows.slice(0, MOST_ROWS).flatMap((row) => Object.keys(row)))].slice(0, MOST_COLUMNS);
  const table = pageTable({
    title,
    columns: names.map((name) => ({ title: name, isNumber: rows.some((row) => typeof row[name] === 'number') })),
    rows: rows.slice(0, MOST_ROWS).map((row) => names.map((name) => html`${cellText(row[name])}`)),
  });
  return html`${table} ${rows.length > MOST_ROWS ? html`<p class="note">… ${rows.length - MOST_ROWS} more</p>` : ''}`;
}

const jsonBlock = (value: Json): Html => textBlock(jsonText(value, 1), { most: MOST_CHARACTERS });

const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isScalar = (value: Json): boolean => typeof value !== 'object' || value === null;
const isEmpty = (value: Json): boolean => Array.isArray(value) && value.length === 0;
const isTable = (value: Json | undefined): value is JsonObject[] =>
  Array.isArray(value) && value.length > 0 && value.every((row) => isObject(row));

/** Digests are told apart by their beginning. */
const short = (text: string): string => (/^[0-9a-f]{64}$/.test(text) ? `${text.slice(0, 12)}…` : shown(text, 600));

function scalarText(value: Json): string {
  if (value === null) return ABSENT;
  return typeof value === 'string' ? short(value) : numberText(value);
}

function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return ABSENT;
  if (typeof value === 'string') return short(value);
  return typeof value === 'object' ? shown(jsonText(value)) : numberText(value);
}

/** As many digits as anybody reads. */
const numberText = (value: Json): string =>
  typeof value === 'number' ? String(Math.round(value * 10_000) / 10_000) : jsonText(value);
