import { describe, expect, it } from 'vitest';
import type { Hold, Pacing } from './pacing.js';

/** What every pacing does, whatever it is stored in. @param open a pacing; two calls share what they hold */
export function pacingConformance(name: string, open: () => Pacing): void {
  const hold = (more: Partial<Hold>): Hold => {
    return { provider: 'p', holdMs: 10_000, reason: 'told so', worker: 'w', ...more };
  };

  describe(`${name} is a pacing`, () => {
    it('lets a provider nobody was told anything of go at once', async () => {
      expect(await open().waitMs('unheard of')).toEqual({ waitMs: 0, reason: '' });
    });

    it('makes every worker wait for what one was told, and no other provider', async () => {
      await open().hold(hold({ provider: 'shared' }));
      const { waitMs, reason } = await open().waitMs('shared');
      expect(waitMs).toBeGreaterThan(5_000);
      expect(waitMs).toBeLessThanOrEqual(10_000);
      expect(reason).toBe('told so');
      expect((await open().waitMs('another')).waitMs).toBe(0);
    });

    it('keeps the later of two moments, with its reason', async () => {
      const pacing = open();
      await pacing.hold(hold({ provider: 'twice', holdMs: 10_000, reason: 'long' }));
      await pacing.hold(hold({ provider: 'twice', holdMs: 20, reason: 'short' }));
      expect(await pacing.waitMs('twice')).toMatchObject({ reason: 'long' });
      await pacing.hold(hold({ provider: 'twice', holdMs: 20_000, reason: 'longer' }));
      expect((await pacing.waitMs('twice')).waitMs).toBeGreaterThan(12_000);
    });

    it('goes on when the moment has come', async () => {
      const pacing = open();
      await pacing.hold(hold({ provider: 'brief', holdMs: 30 }));
      await expect.poll(async () => (await pacing.waitMs('brief')).waitMs, { timeout: 20_000 }).toBe(0);
    });
  });
}
