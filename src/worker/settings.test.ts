import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../config/env.js';
import { readSettings, ROLES, SettingsProblem } from './settings.js';

const settings = (argv: string[], variables: Record<string, string> = {}) =>
  readSettings(argv, readEnvironment({ HOME: '/home/x', ...variables }, '/tmp'));

describe('readSettings', () => {
  it('has every role and small slots by default', () => {
    expect(settings([])).toEqual({ roles: ROLES, slots: { light: 16, model: 8, sandbox: 2 }, bundle: null });
  });

  it('takes roles and slots; the command line wins over the environment', () => {
    const given = settings(['--roles', 'model, sandbox', '--slots', 'model=20'], {
      DURABENCH_MODEL_SLOTS: '3',
      DURABENCH_SANDBOX_SLOTS: '4',
    });
    expect(given).toMatchObject({ roles: ['model', 'sandbox'], slots: { light: 16, model: 20, sandbox: 4 } });
  });

  it('reports all problems at once, each with what is allowed and how to mend it', () => {
    const attempt = (): unknown =>
      settings(['--roles', 'modle', '--slots', 'gpu=1,model=0'], { DURABENCH_LIGHT_SLOTS: 'many' });
    expect(attempt).toThrow(SettingsProblem);
    try {
      attempt();
    } catch (error) {
      const { problems, message } = error as SettingsProblem;
      expect(problems.map(({ what }) => what)).toEqual([
        '--roles: "modle" is no role of a worker.',
        'DURABENCH_LIGHT_SLOTS: "light=many" does not set slots.',
        '--slots: "gpu=1" does not set slots.',
        '--slots: "model=0" does not set slots.',
      ]);
      expect(message).toContain('Allowed: any of workflows, light, model, sandbox');
    }
  });

  it('refuses options it does not know', () => {
    expect(() => settings(['--role', 'model'])).toThrow(/--role/);
  });
});
