import type { SandboxLimits } from '../../../contract/sandbox-limits.js';
import { DEFAULT_SANDBOX_LIMITS } from '../../../domain/limits/sandbox-limits.js';
import type { Sandbox } from '../../../ports/sandbox.js';
import { HARDENING_CHECKS, type HardeningCheck, type SandboxFacts } from './hardening-checks.js';

/** One promise of the sandbox, looked at from inside a container. */
export interface SandboxFinding {
  check: string;
  ok: boolean;
  /** What was found. */
  detail: string;
}

/**
 * A shell script that prints what `readFindings` reads, `name<TAB>value` lines; only what a minimal Debian has. Limits are those the kernel keeps for this process (cgroup v1,
 * then v2), not those somebody asked for.
 */
export const SANDBOX_PROBE = `
fact() { printf '%s\\t%s\\n' "$1" "$2"; }
lines() { while read -r line; do fact "$1" "$line"; done; }
first() { cat "$@" 2>/dev/null | head -n 1 | grep .; }
hard() { sed -n "s/^$1  *[^ ]*  *\\([^ ]*\\).*/\\1/p" /proc/self/limits; }
group=/sys/fs/cgroup
fact user "$(id -u):$(id -g) $(id -G)"
sed -n 's/^Cap[A-Z][a-z]*:[^0-9a-f]*//p' /proc/self/status | sort -u | lines capabilities
fact privileges "$(sed -n 's/^NoNewPrivs:[^0-9]*//p' /proc/self/status)"
fact seccomp "$(sed -n 's/^Seccomp:[^0-9]*//p' /proc/self/status)"
for each in /sys/class/net/*; do [ $(($(cat "$each/flags") & 1)) = 0 ] || fact network "\${each##*/}"; done
fact written "mounted $(sed -n 's|^[^ ]* [^ ]* [^ ]* [^ ]* / \\([a-z]*\\).*|\\1|p' /proc/self/mountinfo)"
for place in / /etc /usr /home /root /var/tmp /run/lock; do
  (: >"$place/durabench-probe") 2>/dev/null && fact written "$place" && rm -f "$place/durabench-probe"
done
df --output=fstype,size,target -B1 /tmp /work | tail -n +2 | lines folders
df --output=fstype,size,target -B1 /dev/shm | tail -n +2 | lines shared-memory
kernel=/proc/sys/kernel
fact kernel-objects "$(echo $(cat /proc/sys/fs/mqueue/queues_max $kernel/msgmni $kernel/shmmni $kernel/sem))"
fact memory "$(first $group/memory/memory.limit_in_bytes $group/memory.max)"
if [ -r $group/memory/memory.memsw.limit_in_bytes ]; then
  fact swap $(($(cat $group/memory/memory.memsw.limit_in_bytes) - $(cat $group/memory/memory.limit_in_bytes)))
else
  fact swap "$(first $group/memory.swap.max || sed -n 's/^SwapTotal: *\\([0-9]*\\) kB/\\1/p' /proc/meminfo)"
fi
fact processors "$(first $group/cpu.max || echo "$(cat $group/cpu/cpu.cfs_quota_us) $(cat $group/cpu/cpu.cfs_period_us)")"
[ ! -r $group/cpu/cpu.shares ] || fact share "shares $(cat $group/cpu/cpu.shares)"
[ ! -r $group/cpu.weight ] || fact share "weight $(cat $group/cpu.weight)"
fact processes "$(first $group/pids/pids.max $group/pids.max)"
fact processor-time "$(ulimit -S -t)"
fact open-files "$(hard 'Max open files')"
fact file-size "$(hard 'Max file size')"
fact core "$(hard 'Max core file size')"
fact init "$(cat /proc/1/comm)"
lines mount </proc/self/mountinfo
for each in $(cut -d ' ' -f 5 /proc/self/mountinfo) /run/*.sock /run/*/*.sock; do [ ! -S "$each" ] || fact socket "$each"; done
env | sed 's/=.*//' | sort | lines environment
fact end
`;

const PROBE_PORT = 4010;

/** Runs a container and looks whether the promises of the sandbox hold on this engine; for `doctor --sandbox`. Fails like `Sandbox.run`. */
export async function probeSandbox(sandbox: Sandbox, signal: AbortSignal): Promise<SandboxFinding[]> {
  const result = await sandbox.run({
    image: 'base',
    command: ['sh', '-c', SANDBOX_PROBE],
    mounts: [],
    poolKey: null,
    // With a door open all must hold as without.
    doors: [{ port: PROBE_PORT, serve: (connection) => void connection.end() }],
    owner: { campaignId: 'doctor', ownerId: 'doctor' },
    signal,
  });
  return readFindings(result.stdout.bytes.toString('utf8'));
}

/** What the output of `SANDBOX_PROBE` says of each check. */
export const readFindings = (output: string): SandboxFinding[] =>
  findingsOf(output, HARDENING_CHECKS, DEFAULT_SANDBOX_LIMITS);

/** What the facts of a probe say of each check. */
export function findingsOf(
  output: string,
  checks: readonly HardeningCheck[],
  limits: Readonly<SandboxLimits>,
): SandboxFinding[] {
  const facts = readFacts(output);
  // Without its last line nothing that is absent proves anything.
  const isWhole = facts.has('end');
  return checks.map(({ check, fact, holds, shown }) => {
    const lines = facts.get(fact) ?? [];
    const detail = (shown?.(lines) ?? lines.join(', ')).trim();
    const ok = isWhole && holds(lines, limits);
    return { check, ok, detail: isWhole ? detail || 'none' : 'not reported' };
  });
}

function readFacts(text: string): SandboxFacts {
  const facts = new Map<string, string[]>();
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const [name = '', value = ''] = line.split('\t');
    facts.set(name, [...(facts.get(name) ?? []), value.trim()]);
  }
  return facts;
}
