import type { SandboxLimits } from '../contract/sandbox-limits.js';
import { DEFAULT_SANDBOX_LIMITS } from '../domain/sandbox-limits.js';
import type { Finding } from './doctor-checks.js';
import { problemsOf } from './failure-report.js';
import type { Session } from './session.js';

const PROBE_TIMEOUT_MS = 120_000;
const MIB = 1024 ** 2;

/** The sandbox's limits where a suite names no other, and what a container of it finds around itself. */
export interface SandboxChecks {
  limits: Readonly<SandboxLimits>;
  findings: Finding[];
}

/** Runs one container and looks from inside whether every promise of the sandbox holds on this engine. */
export async function sandboxChecks(session: Session): Promise<SandboxChecks> {
  const [{ createDockerSandbox }, { currentInstance }, { probeSandbox }] = await Promise.all([
    import('../adapters/docker/docker-sandbox.js'),
    import('../adapters/docker/instance.js'),
    import('../adapters/docker/probe-sandbox.js'),
  ]);
  const stateFolder = session.environment().stateDir;
  const { packageRoot } = session;
  const sandbox = createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 1 });
  try {
    const seen = await probeSandbox(sandbox, AbortSignal.timeout(PROBE_TIMEOUT_MS));
    return {
      limits: DEFAULT_SANDBOX_LIMITS,
      findings: seen.map(({ check, ok, detail }) => finding(check, ok, detail)),
    };
  } catch (error) {
    const [problem] = problemsOf(error);
    const found: Finding = {
      name: 'sandbox: a container runs',
      state: 'missing',
      detail: problem?.what ?? String(error),
      mend: problem?.remedy ?? 'durabench images build base',
    };
    return { limits: DEFAULT_SANDBOX_LIMITS, findings: [found] };
  } finally {
    await sandbox.close().catch(() => undefined);
  }
}

/** One row a limit, in the units people use. */
export function sandboxLimitRows(limits: Readonly<SandboxLimits>): string[][] {
  return [
    ['memory, swap included', `${limits.memoryBytes / MIB} MiB`],
    ['processors', String(limits.cpus)],
    ['processes and threads', String(limits.pids)],
    ['processor time of a command', `${limits.cpuSeconds} s`],
    ['time of a command', `${limits.wallSeconds} s`],
    ['/work and /tmp, each', `${limits.tmpfsBytes / MIB} MiB`],
    ['one file', `${limits.fileSizeBytes / MIB} MiB`],
    ['captured output, each stream', `${limits.outputBytes / MIB} MiB`],
    ['open files', String(limits.openFiles)],
  ];
}

function finding(check: string, ok: boolean, detail: string): Finding {
  const mend = 'this engine does not keep it: see `docker info` (Security Options, Cgroup), and use another engine';
  return { name: `sandbox: ${check}`, state: ok ? 'ok' : 'missing', detail, mend: ok ? null : mend };
}
