import { expect, it } from 'vitest';
import { hasSameName, isNameOf, rowsNamed } from './same-name.js';
import type { CandidateEntry } from '../candidate/candidate-index.js';

const entry = (qualname: string) => {
  const parts = qualname.split('.');
  return { name: parts.at(-1) ?? '', owner: parts.length > 1 ? parts.slice(0, -1).join('.') : null };
};

it.each([
  ['lib.utils.parse_url', 'parse_url', true],
  ['lib.utils.parse_url', 'parseUrl', true],
  ['lib.utils.parse_url', '_parse_url', true],
  ['lib.utils.parse_url', 'parse_urls', false],
  ['lib.utils.parse_url', 'parse', false],
  ['lib.sessions.Session.get', 'Session.get', true],
  ['lib.sessions.Session.get', 'Outer.Session.get', true],
  ['lib.sessions.Session.get', 'Response.get', false],
  ['lib.sessions.Session.get', 'get', false],
  ['lib.sessions.Session', 'Session', true],
  ['lib.sessions.Session', 'session', false],
  ['lib.sessions.Session', 'Session.get', false],
  ['lib.cookies.merge', 'Cookies.merge', false],
  ['fetch', 'fetch', true],
  ['lib.i18n._', '_', false],
  ['', 'fetch', false],
])('%s and %s: %s', (target, qualname, expected) => {
  expect(hasSameName(target, entry(qualname))).toBe(expected);
});

it('tells which entries are called like the target, and which like anything of a library', () => {
  const definition = (module: string, qualname: string) => ({ ...entry(qualname), module, qualname }) as CandidateEntry;
  const candidate = [definition('net.io', 'send'), definition('net.io', 'Client.get'), definition('net.io', 'get')];
  expect(rowsNamed('lib.api.get', candidate)).toEqual([2]);
  expect(rowsNamed('lib.api.put', candidate)).toEqual([]);
  const library = [definition('lib.api', 'get'), definition('lib.sessions', 'Session.get')];
  expect(candidate.map((each) => isNameOf(library, each))).toEqual([false, false, true]);
  expect(isNameOf(library, undefined)).toBe(false);
});
