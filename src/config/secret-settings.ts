/** Settings beside which secrets are: rules for text that must hold none, and `notify`. */
import { z } from 'zod';
import { NOTIFICATION_EVENTS } from '../contract/campaign.js';

/** Names an environment variable may have. */
export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Whatever else belongs to a request, such as a key, has its own setting; `fetch` refuses credentials in a URL. */
export function isPlainAddress(address: string): boolean {
  if (!URL.canParse(address)) return true; // Reported as no address already.
  const { username, password } = new URL(address);
  return username === '' && password === '' && !/[?#]/.test(address);
}

/** A key itself, pasted where the name of its variable belongs: as many providers begin theirs, or long and with digits. */
export function isNoKey(name: string): boolean {
  if (!VARIABLE_NAME.test(name)) return true; // Reported as no name already.
  const isLong = name.length >= 24 && /[a-z]/.test(name) && (name.match(/\d/g)?.length ?? 0) >= 3;
  return !isLong && !/^(sk|pk|gsk|hf|xai|nvapi)[_-]/.test(name);
}

const variableName = (what: string) =>
  z
    .string()
    .regex(VARIABLE_NAME)
    .refine(isNoKey, { message: 'looks like a key' })
    .optional()
    .describe(`the NAME of the environment variable that holds ${what}`);

/** One entry of `notify`. */
export const notifySchema = z
  .strictObject({
    webhook: z
      .url({ protocol: /^https?$/ })
      .refine(isPlainAddress, { message: 'holds more than an address' })
      .optional()
      .describe(
        'an http(s) address that gets a POST, without user name, password, query (?) and fragment (#): an address with a secret in it belongs into a variable (webhook_env)',
      ),
    webhook_env: variableName('the address of a webhook'),
    authorization_env: variableName('the value of the header authorization'),
    command: z
      .array(z.string())
      .min(1)
      .refine(([program = '']) => program !== '' && (!program.includes('/') || program.startsWith('/')), {
        message: 'names its program by a relative path',
      })
      .optional()
      .describe('a list: a program by its name or absolute path, and its arguments; it gets the message on stdin')
      .meta({ examples: ['[/usr/local/bin/tell, --urgent]'] }),
    on: z
      .array(z.enum(NOTIFICATION_EVENTS))
      .min(1)
      .default([...NOTIFICATION_EVENTS])
      .describe(`a list out of ${NOTIFICATION_EVENTS.join(', ')}; all of them by default`),
    stall_minutes: z
      .number()
      .positive()
      .max(100_000)
      .default(30)
      .describe('minutes without progress that count as a stall, above 0 and up to 100,000; 30 by default'),
  })
  .refine((each) => [each.webhook, each.webhook_env, each.command].filter((way) => way !== undefined).length === 1, {
    message: 'names not exactly one of webhook, webhook_env and command',
  })
  .describe('exactly one of webhook, webhook_env and command; beside it authorization_env, on, stall_minutes');
