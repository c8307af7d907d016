import { describe, expect, it } from 'vitest';
import type { Hold, Pacing } from '../pacing.js';
import { waitUntil } from '../../../tests/fixtures/wait-until.js';

/** So long that no machine is too slow to ask meanwhile. */
const HOLD_MS = 600_000;

/** What every pacing does, whatever it is stored in. @param open a pacing; two calls share what they hold */
export function pacingConformance(name: string, open: () => Pacing): void {
  const hold = (more: Partial<Hold>): Hold => {
    return { provider: 'p', holdMs: HOLD_MS, reason: 'told so', worker: 'w', ...more };
  };

  describe(`${name} is a pacing`, () => {
    it('lets a provider nobody was told anything of go at once', async () => {
      expect(await open().waitMs('unheard of')).toEqual({ waitMs: 0, reason: '' });
    });

    it('makes every worker wait for what one was told, and no other provider', async () => {
      await open().hold(hold({ provider: 'shared' }));
      const { waitMs, reason } = await open().waitMs('shared');
      expect(waitMs).toBeGreaterThan(HOLD_MS / 2);
      expect(waitMs).toBeLessThanOrEqual(HOLD_MS);
      expect(reason).toBe('told so');
      expect((await open().waitMs('another')).waitMs).toBe(0);
    });

    it('keeps the later of two moments, with its reason', async () => {
      const pacing = open();
      await pacing.hold(hold({ provider: 'twice', holdMs: HOLD_MS, reason: 'long' }));
      await pacing.hold(hold({ provider: 'twice', holdMs: 20, reason: 'short' }));
      expect(await pacing.waitMs('twice')).toMatchObject({ reason: 'long' });
      await pacing.hold(hold({ provider: 'twice', holdMs: 2 * HOLD_MS, reason: 'longer' }));
      expect((await pacing.waitMs('twice')).waitMs).toBeGreaterThan(1.2 * HOLD_MS);
    });

    it('goes on when the moment has come', async () => {
      const pacing = open();
      await pacing.hold(hold({ provider: 'brief', holdMs: 30 }));
      expect(await waitUntil(async () => (await pacing.waitMs('brief')).waitMs === 0)).toBe(true);
    });
  });
}
