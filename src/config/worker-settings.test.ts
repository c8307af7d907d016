import { describe, expect, it } from 'vitest';
import { readEnvironment } from './env.js';
import { readWorkerSettings, ROLES } from './worker-settings.js';
import { UserError } from '../domain/failure/user-error.js';

const MACHINE = { cores: 4, memoryBytes: 2 ** 31 };
const machine = (most: number) => ({ most, from: 'machine' });
const operator = (most: number) => ({ most, from: 'operator' });
const settings = (argv: string[], variables: Record<string, string> = {}) =>
  readWorkerSettings(argv, readEnvironment({ HOME: '/home/x', ...variables }, '/tmp'), MACHINE);

describe('readWorkerSettings', () => {
  it('has every role by default, and up to what the machine carries', () => {
    const slots = { light: machine(16), model: machine(500), sandbox: machine(2) };
    expect(settings([])).toEqual({ roles: ROLES, slots, machine: MACHINE, bundle: null });
  });

  it('takes roles and slots; the command line wins over the environment', () => {
    const given = settings(['--roles', 'model, sandbox', '--slots', 'model=20'], {
      DURABENCH_MODEL_SLOTS: '3',
      DURABENCH_SANDBOX_SLOTS: '4',
    });
    const slots = { light: machine(16), model: operator(20), sandbox: operator(4) };
    expect(given).toMatchObject({ roles: ['model', 'sandbox'], slots });
  });

  it('reports all problems at once, each with what is allowed and how to repair it', () => {
    const attempt = (): unknown =>
      settings(['--roles', 'modle', '--slots', 'gpu=1,model=0'], { DURABENCH_LIGHT_SLOTS: 'many' });
    expect(attempt).toThrow(UserError);
    try {
      attempt();
    } catch (error) {
      const { problems, message } = error as UserError;
      expect(problems.map(({ message }) => message)).toEqual([
        '--roles: "modle" is not a role of a worker.',
        'DURABENCH_LIGHT_SLOTS is "many".',
        '--slots: "gpu=1" does not set slots.',
        '--slots: "model=0" does not set slots.',
      ]);
      expect(message).toContain('expected: any of workflows, light, model, sandbox');
    }
  });

  it('refuses options it does not know', () => {
    expect(() => settings(['--role', 'model'])).toThrow(/--role/);
  });
});
