import type { LoosenedLimits, SandboxLimits } from '../../contract/sandbox-limits.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../domain/limits/sandbox-limits.js';
import type { Finding } from './finding.js';
import { problemsOf } from '../../domain/failure/problems-of.js';
import type { Context } from '../context.js';
import { engineFindings } from './nested-engines.js';
import { readSuites } from '../../suite/registry.js';

const PROBE_TIMEOUT_MS = 120_000;

/** The sandbox's limits where a suite names no other, and what a container of it finds around itself. */
export interface SandboxChecks {
  limits: Readonly<SandboxLimits>;
  /** Suite → the other limits its manifest names. */
  loosened: Record<string, LoosenedLimits>;
  findings: Finding[];
}

/**
 * Runs one container and looks from inside whether every promise of the sandbox holds on this engine; two more where suites have
 * engines in containers.
 */
export async function sandboxChecks(context: Context): Promise<SandboxChecks> {
  const [{ suites }, { createDockerSandbox }, { currentInstance }, { probeSandbox }] = await Promise.all([
    readSuites(context.environment()),
    import('../../adapters/docker/sandbox/docker-sandbox.js'),
    import('../../adapters/docker/engine/instance.js'),
    import('../../adapters/docker/sandbox/probe-sandbox.js'),
  ]);
  const { stateDir: stateFolder, minimumFreeBytes } = context.environment();
  const { packageRoot } = context;
  const named = suites.map(({ manifest }) => [manifest.id, manifest.sandboxLimits ?? {}] as const);
  const shown = { limits: DEFAULT_SANDBOX_LIMITS, loosened: Object.fromEntries(named) };
  const instance = currentInstance();
  const sandbox = createDockerSandbox({ instance, stateFolder, packageRoot, slots: 1, minimumFreeBytes });
  try {
    const seen = await probeSandbox(sandbox, AbortSignal.timeout(PROBE_TIMEOUT_MS));
    const nested = await engineFindings(
      context,
      suites.flatMap(({ manifest }) => manifest.nestedEngine ?? []),
    );
    return { ...shown, findings: [...seen.map(({ check, ok, detail }) => finding(check, ok, detail)), ...nested] };
  } catch (error) {
    const [problem] = problemsOf(error);
    const found: Finding = {
      name: 'sandbox: a container runs',
      state: 'missing',
      detail: problem?.message ?? String(error),
      fix: problem?.fix ?? 'durabench images build base',
    };
    return { ...shown, findings: [found] };
  } finally {
    await sandbox.close().catch(() => undefined);
  }
}

function finding(check: string, ok: boolean, detail: string): Finding {
  const fix = 'this engine does not keep it: see `docker info` (Security Options, Cgroup), and use another engine';
  return { name: `sandbox: ${check}`, state: ok ? 'ok' : 'missing', detail, fix: ok ? null : fix };
}
