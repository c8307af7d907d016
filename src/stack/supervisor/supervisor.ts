import { setTimeout as sleep } from 'node:timers/promises';
import { lastLines } from './child-log.js';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.js';
import { STOP_SIGNALS, type Service } from './service.js';
import { writeStackState, type ServiceState, type StackPaths, type StackState } from '../stack-state.js';
import { endProcess } from './stop-services.js';
import { UserError } from '../../domain/failure/user-error.js';

// A dead child is noticed within this; reading three lines of /proc costs microseconds.
const WATCH_MS = 200;
const REAP_MS = 50;
const BACK_OFF_SECONDS = [1, 2, 4, 8, 15];
// A child that served this long died of something else than its start.
const HEALTHY_MS = 60_000;
// A worker that has to start again finishes the model calls it has sent (at most 120 s): they are paid for.
const RESTART_GRACE_MS = 130_000;

/** Told of everything worth a line in the supervisor's log. */
export type SupervisorLog = (entry: { service?: string; event: string; detail?: string }) => void;

/**
 * Keeps the members of a stack running: starts them in order, starts again what dies, adopts what a killed
 * predecessor left alive, and writes what it knows to stack.json.
 */
export class Supervisor {
  private readonly services: readonly Service[];
  private readonly paths: StackPaths;
  private readonly log: SupervisorLog;
  private readonly state: StackState;

  constructor(parts: {
    services: readonly Service[];
    paths: StackPaths;
    log: SupervisorLog;
    /** What a predecessor left; its living processes are adopted. */
    previous: StackState | undefined;
    addresses: StackState['addresses'];
    salt: string;
  }) {
    this.services = parts.services;
    this.paths = parts.paths;
    this.log = parts.log;
    const entries = parts.services.map((service) => [service.name, initialState(service, parts.previous)] as const);
    this.state = {
      format: 1,
      supervisor: identifyProcess(process.pid)!,
      startedAt: new Date().toISOString(),
      services: Object.fromEntries(entries) as StackState['services'],
      addresses: parts.addresses,
      salt: parts.salt,
    };
  }

  /** Supervises until the signal, then returns with every child as it is: ending them is the caller's business. */
  async run(stopping: AbortSignal): Promise<void> {
    this.save();
    await Promise.all(this.services.map((service) => this.keepRunning(service, stopping)));
  }

  private async keepRunning(service: Service, stopping: AbortSignal): Promise<void> {
    const state = this.state.services[service.name];
    if (service.mode === 'off') return;
    while (!stopping.aborted && (await this.prerequisites(service, stopping))) {
      try {
        if (state.process && isAlive(state.process)) this.adopt(service, state.process);
        else await this.start(service, stopping);
        const wasHealthy = await this.watch(service, stopping);
        if (wasHealthy) state.failures = 0;
        // Its death is seen in /proc before Node has collected its exit status.
        await pause(REAP_MS, stopping);
        if (!stopping.aborted) this.noteDeath(service);
      } catch (error) {
        this.noteFailure(service, error);
      }
      await pause(backOffMs(state.failures), stopping);
    }
  }

  /** @returns false when the stack is being stopped */
  private async prerequisites(service: Service, stopping: AbortSignal): Promise<boolean> {
    const areUp = (): boolean => service.after.every((name) => this.state.services[name].status === 'up');
    while (!stopping.aborted && !areUp()) await pause(WATCH_MS, stopping);
    return !stopping.aborted;
  }

  private adopt(service: Service, process: ProcessIdentity): void {
    this.update(service, { status: 'starting', detail: `already running (pid ${process.pid})` });
    this.note(service, 'adopted', `pid ${process.pid}`);
  }

  private async start(service: Service, stopping: AbortSignal): Promise<void> {
    const state = this.state.services[service.name];
    this.update(service, { status: state.restarts > 0 ? 'restarting' : 'starting', detail: '' });
    delete state.readyAt;
    if (!service.start) return;
    const settings = service.settings();
    const process = await service.start((detail) => this.update(service, { detail }), stopping);
    // Written before anything else is awaited: a supervisor killed after this line leaves a child that is known.
    this.update(service, { process, settings, startedAt: new Date().toISOString() });
    this.note(service, 'started', `pid ${process.pid}`);
  }

  /** Returns when the process is dead, or was ended because its settings changed. @returns whether it had been healthy */
  private async watch(service: Service, stopping: AbortSignal): Promise<boolean> {
    const state = this.state.services[service.name];
    const report = (detail: string): void => this.update(service, { detail });
    let isServing = false;
    while (!stopping.aborted && (!state.process || isAlive(state.process))) {
      if (state.process && this.areSettingsStale(service)) {
        this.note(service, 'settings changed', 'starting again');
        await endProcess(state.process, { signal: STOP_SIGNALS[service.name], graceMs: RESTART_GRACE_MS });
        return true;
      }
      if (!isServing && (isServing = await service.isReady(state.process, report))) this.noteReady(service);
      await pause(WATCH_MS, stopping);
    }
    return state.readyAt !== undefined && Date.now() - Date.parse(state.readyAt) >= HEALTHY_MS;
  }

  /** Only while everything it depends on serves: in between, an address may be about to change. */
  private areSettingsStale(service: Service): boolean {
    const isSettled = service.after.every((name) => this.state.services[name].status === 'up');
    if (!isSettled) return false;
    const [then, now] = [this.state.services[service.name].settings, service.settings()];
    return service.decisive.some((name) => then?.[name] !== now[name]);
  }

  private noteReady(service: Service): void {
    const state = this.state.services[service.name];
    delete state.problem;
    this.update(service, { status: 'up', detail: service.describe(), readyAt: new Date().toISOString() });
    this.note(service, 'up', state.detail);
  }

  private noteDeath(service: Service): void {
    const state = this.state.services[service.name];
    const problem = service.lastProblem?.();
    if (problem) state.problem = problem;
    const said = problem?.message ?? lastWords(this.paths.logFile(service.name));
    state.failures += 1;
    state.restarts += 1;
    delete state.process;
    const again = `ended; starting again in ${backOffMs(state.failures) / 1000} s`;
    this.update(service, { status: 'restarting', detail: said ? `${again} (its last words: ${said})` : again });
    this.note(service, 'ended', state.detail);
  }

  private noteFailure(service: Service, error: unknown): void {
    const state = this.state.services[service.name];
    state.failures += 1;
    if (error instanceof UserError) state.problem = error.problems[0]!;
    const detail = error instanceof Error ? error.message.split('\n')[0]! : String(error);
    this.update(service, { status: 'restarting', detail });
    this.note(service, 'failed', error instanceof Error ? (error.stack ?? detail) : detail);
  }

  private note(service: Service, event: string, detail: string): void {
    this.log({ service: service.name, event, detail });
  }

  private update(service: Service, change: Partial<ServiceState>): void {
    const state = this.state.services[service.name];
    const isNews = Object.entries(change).some(([key, value]) => state[key as keyof ServiceState] !== value);
    Object.assign(state, change);
    if (isNews) this.save();
  }

  private save(): void {
    writeStackState(this.paths.stateDir, this.state);
  }
}

function initialState(service: Service, previous: StackState | undefined): ServiceState {
  const before = previous?.services[service.name];
  const kept = service.mode === 'embedded' && before?.process && isAlive(before.process) ? before : undefined;
  const identity: Pick<ServiceState, 'process' | 'settings' | 'startedAt'> = {};
  if (kept?.process) identity.process = kept.process;
  if (kept?.settings) identity.settings = kept.settings;
  if (kept?.startedAt) identity.startedAt = kept.startedAt;
  return { mode: service.mode, status: 'stopped', detail: '', restarts: kept?.restarts ?? 0, failures: 0, ...identity };
}

/** The last line of a log; of a JSON record, its message. */
function lastWords(logFile: string): string {
  const [line = ''] = lastLines(logFile, 1);
  return /"msg":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1] ?? line;
}

function backOffMs(failures: number): number {
  return failures === 0 ? 0 : BACK_OFF_SECONDS[Math.min(failures, BACK_OFF_SECONDS.length) - 1]! * 1000;
}

async function pause(ms: number, stopping: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal: stopping }).catch(() => undefined); // an abort only ends it early
}
