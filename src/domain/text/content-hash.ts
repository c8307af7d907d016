import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Json } from '../../contract/json.js';

/** Lower-case hex sha-256 of bytes or UTF-8 text. Not for workflow code (node:crypto). */
export function sha256Hex(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex');
}

/** sha-256 of RFC 8785 canonical JSON: equal values hash alike whatever their key order. */
export function jsonHash(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('not a JSON value');
  return sha256Hex(text);
}
