import { expect, it } from 'vitest';
import { hasSameName } from './same-name.js';

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
