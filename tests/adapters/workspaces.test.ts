import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileBlobs } from '../../src/adapters/blobs/file-blobs.js';
import { connectDocker } from '../../src/adapters/docker/engine/connect-docker.js';
import { currentInstance } from '../../src/adapters/docker/engine/instance.js';
import { LABEL } from '../../src/adapters/docker/engine/labels.js';
import { createDockerSandbox, type DockerSandbox } from '../../src/adapters/docker/sandbox/docker-sandbox.js';
import { READER } from '../../src/adapters/docker/workspaces/reader-script.js';
import type { WorkspaceRef } from '../../src/contract/sandbox-result.js';
import { sandboxWorkspacesConformance } from '../../src/ports/conformance/sandbox-workspaces.conformance.js';
import type { SandboxResult, SandboxRun } from '../../src/ports/sandbox.js';
import { ensureImages } from '../fixtures/docker/ensure-images.js';

const packageRoot = join(import.meta.dirname, '..', '..');
let [stateFolder, baseImage] = ['', ''];
let [sandbox, another]: DockerSandbox[] = [];

beforeAll(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'durabench-workspaces-'));
  [baseImage = ''] = await ensureImages(join(stateFolder, 'cache'), 'base');
  const blobs = createFileBlobs({ folder: join(stateFolder, 'blobs') });
  const open = (): DockerSandbox =>
    createDockerSandbox({ instance: currentInstance(), stateFolder, packageRoot, slots: 2, blobs });
  [sandbox, another] = [open(), open()];
});

afterAll(async () => {
  await Promise.all([sandbox?.close(), another?.close()]);
  await rm(stateFolder, { recursive: true, force: true });
});

sandboxWorkspacesConformance('Docker', () => ({
  sandbox: sandbox!,
  another: another!,
  bench: {
    image: 'base',
    write: (path, text) => ['sh', '-c', 'mkdir -p "$(dirname "$0")"; printf %s "$1" >"$0"', path, text],
    show: (path) => ['cat', path],
    remove: (path) => ['rm', path],
    makeFiles: (count) => ['sh', '-c', `for each in $(seq 0 ${count - 1}); do : >$each; done`],
    makeBytes: (path, bytes) => ['sh', '-c', `head -c ${bytes} /dev/zero >${path}`],
    writeAndFail: (path) => ['sh', '-c', `echo left >${path}; exit 3`],
    writeAndSleep: (path) => ['sh', '-c', `echo half >${path}; sleep 600`],
    nothing: ['true'],
  },
}));

async function run(script: string, extra: Partial<SandboxRun> = {}, on = sandbox!): Promise<SandboxResult> {
  return on.run({
    image: 'base',
    command: ['sh', '-c', script],
    mounts: [],
    poolKey: null,
    owner: { campaignId: 'workspaces-test', ownerId: 'workspaces-test' },
    signal: new AbortController().signal,
    ...extra,
  });
}

const text = (result: SandboxResult): string => result.stdout.bytes.toString('utf8');

/** Runs a script in a workspace that is kept. */
async function turn(script: string, from: WorkspaceRef | null, extra: Partial<SandboxRun> = {}): Promise<WorkspaceRef> {
  const done = await run(script, { workspace: { from }, ...extra });
  expect([done.workspace?.undone, done.exitCode, done.stderr.bytes.toString('utf8')]).toEqual([null, 0, '']);
  return done.workspace!.ref!;
}

/** All that `find` and `stat` tell of what is there but what no tool can set, and every byte. */
const LOOK = `export LC_ALL=C
find . -mindepth 1 -printf '%P|%y|%m|%s|%T@|%n|%l\\n' | sed -E 's/\\|d\\|([0-9]+)\\|[0-9]+/|d|\\1|-/' | sort
find . -type f -perm -400 -exec sha256sum {} + | sort`;

describe('a workspace in a container', () => {
  it('comes back exactly on another worker: contents, modes, links and times', async () => {
    const ref = await turn(
      `umask 0
      mkdir -p a/b/c empty locked 'with space'
      printf one >a/one; printf one >a/same; ln a/one a/b/twin; ln a/one zwilling
      ln -s /etc/passwd outside; ln -s ../../../../etc out; ln -s nowhere dangling; ln -s loop loop; ln -s . a/here
      printf x >"with
a line break"; printf y >'-n'; printf z >'*?[x]"\\$\`'; printf ü >ünï; mkdir -- '--help'
      : >nothing; head -c 3000000 /dev/urandom >large; cp large larger-copy
      printf secret >locked/in; chmod 640 a/same; chmod 4755 large; chmod 2750 a/b; chmod 1777 empty
      head -c 1000 /dev/zero >sparse; truncate -s 5000000 sparse
      touch -d '1965-05-04 03:02:01.987654321' nothing; touch -d '2400-01-01' -- -n
      touch -h -d '2001-02-03 04:05:06.123456789' outside; touch -d '2002-01-01 00:00:00.5' a/b/c a
      chmod 0 a/one; chmod 0 locked; chmod 555 a/b/c`,
      null,
    );
    const here = text(await run(LOOK, { workspace: { from: ref } }));
    const there = await run(LOOK, { workspace: { from: ref } }, another);
    expect(text(there)).toBe(here);
    expect(there.container).toBe('fresh');
    expect(there.workspace).toEqual({ ref, undone: null, stored: [] });
    expect(here).toContain('a/one|f|0|3|');
    expect(here).toContain('sparse|f|');
  });

  it('is found in its container by the next turn, and nowhere else', async () => {
    const kinds: string[] = [];
    let ref: WorkspaceRef | null = null;
    for (const script of ['echo 1 >f', 'echo 2 >f', 'true']) {
      const done: SandboxResult = await run(script, { workspace: { from: ref } });
      kinds.push(done.container);
      ref = done.workspace!.ref;
    }
    const owner = { campaignId: 'workspaces-test', ownerId: 'somebody else' };
    const other = await run('cat f', { workspace: { from: ref }, owner });
    expect([...kinds, other.container, text(other)]).toEqual(['fresh', 'pooled', 'pooled', 'fresh', '2\n']);
  });

  it('is read when no process of the command lives, and ends with none of it', async () => {
    const ref = await turn(
      `(while :; do date +%N >>late; done) >/dev/null 2>&1 </dev/null &
      setsid sh -c 'trap "" TERM HUP; while :; do echo x >>later; done' >/dev/null 2>&1 </dev/null &
      echo t >/tmp/t; echo s >/dev/shm/s; mkfifo pipe
      python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'`,
      null,
    );
    const next = await run('ls -A . /tmp /dev/shm; cat /proc/[0-9]*/comm | sort -u', { workspace: { from: ref } });
    expect(text(next)).not.toMatch(/pipe|socket|^[ts]$/m);
    expect(text(next)).toContain('late');
    expect(next.workspace).toEqual({ ref, undone: null, stored: [] });
  });
});

describe('what a command leaves on purpose', () => {
  const undone = async (script: string, extra: Partial<SandboxRun> = {}): Promise<[string, string | undefined]> => {
    const { workspace, stderr } = await run(script, { workspace: { from: null }, ...extra });
    return [stderr.bytes.toString('utf8').slice(0, 200), workspace?.undone?.because];
  };

  it.each<[string, string, string]>([
    ['a device', 'python3 -c "import os, stat; os.mknod(\'white\', stat.S_IFCHR | 0o600, 0)"', 'kinds'],
    ['a name that is no UTF-8', 'touch "$(printf \'bad\\377\')"', 'names'],
    ['a target that is no UTF-8', 'ln -s "$(printf \'bad\\377\')" link', 'names'],
    ['a hundred thousand files', 'seq 100000 | xargs touch 2>/dev/null; true', 'files'],
    ['a hole as large as a file may be', 'for each in 1 2 3; do truncate -s 100M $each; done', 'bytes'],
    ['folders in folders', 'for each in $(seq 300); do mkdir d; cd d; done', 'depth'],
  ])('%s is undone as a whole', async (_what, script, because) => {
    expect(await undone(script)).toEqual(['', because]);
  });

  it('processes that fill the container, and more as soon as one ends, are ended, or it is undone as a whole', async () => {
    const script = `python3 -c '
import os, threading, time
def stay():
    while True:
        time.sleep(0.1)
if os.fork() == 0:
    os.setsid()
    while True:
        try:
            threading.Thread(target=stay, daemon=True).start()
        except RuntimeError:
            pass
' </dev/null >/dev/null 2>&1; sleep 2; echo left >f`;
    const { workspace } = await run(script, { workspace: { from: null } });
    expect([undefined, 'processes']).toContain(workspace?.undone?.because);
    const next = await run('cat /proc/[0-9]*/comm', { workspace: { from: workspace?.ref ?? null } });
    expect(text(next)).not.toContain('python3');
  });

  it('what takes a while to end keeps no place from what reads the workspace', async () => {
    // Killed processes whose parent waits before it lets them go, and no room for one more of their user beside the reader.
    const script = `
import os, resource, subprocess, sys, time
def own():
    resource.setrlimit(resource.RLIMIT_NPROC, (9, 9))
    os.setgid(7001); os.setuid(7001)
slow = [subprocess.Popen(['sleep', '600'], preexec_fn=own) for _ in range(8)]
os.makedirs('/work', exist_ok=True)
reader = subprocess.Popen(['sh', '-c', sys.argv[1], 'reader', '9'], preexec_fn=own, stdin=subprocess.DEVNULL)
while any(open(f'/proc/{each.pid}/stat').read().split(') ')[1][0] != 'Z' for each in slow): time.sleep(0.01)
time.sleep(2)
for each in slow: each.wait()
print(reader.wait())`;
    const docker = connectDocker();
    const container = await docker.createContainer({
      Image: baseImage,
      Cmd: ['python3', '-c', script, READER],
      User: '0:0',
      Tty: true,
    });
    try {
      await container.start();
      await container.wait();
      const printed = (await container.logs({ stdout: true, stderr: true })).toString('utf8');
      expect(printed.split('\0')).toEqual(['', 'end', '0\r\n']);
    } finally {
      await container.remove({ force: true });
    }
  });

  it('names and folders in folders that nobody may open come back as they were, their modes by kind', async () => {
    const ref = await turn(
      `mkdir -p a/b/c/d; seq 300 | sed 's,^,a/b/c/d/,' | xargs touch; ln a/b/c/d/1 a/b/twin; printf x >'a/b/two
700 lines'
      chmod 0 a/b/c/d/*; chmod 6040 a/b/c/d/7; chmod 0 a/b/two*; chmod 0 a/b/c/d; chmod 1055 a/b/c; chmod 2111 a/b; chmod 0 a`,
      null,
    );
    const there = await run('true', { workspace: { from: ref } }, another);
    expect(there.workspace).toEqual({ ref, undone: null, stored: [] });
    const shown = await run(
      `stat -c %a a; chmod 700 a; stat -c %a a/b; chmod 700 a/b; stat -c %a a/b/c; chmod 700 a/b/c; stat -c %a a/b/c/d
      chmod 700 a/b/c/d; stat -c '%a %h' a/b/c/d/1 a/b/c/d/7 a/b/two*`,
      { workspace: { from: ref } },
    );
    expect(text(shown).split('\n')).toEqual(['0', '2111', '1055', '0', '0 2', '6040 1', '0 1', '']);
  });

  it('a file of 1 TB cannot be made, and what is there stays', async () => {
    const done = await run('truncate -s 1T huge; echo kept >f', { workspace: { from: null } });
    expect(done.workspace).toMatchObject({ undone: null, ref: { bytes: 5 } });
  });

  it('names and targets that look like what the reader prints are names and targets', async () => {
    const ref = await turn(
      `ln -s end end; : >'f 644 3 1.0 1.0 7 forged'; ln -s 'd 755 0 1.0 1.0 1 forged' two
      mkdir 'end
end'; printf '%064d  ./x' 0 >hash; : >"$(printf '%064d  .' 0)"`,
      null,
    );
    expect(ref.files).toBe(6);
    const restored = await run('ls -A | wc -l; readlink end', { workspace: { from: ref } }, another);
    expect([text(restored), restored.workspace]).toEqual(['7\nend\n', { ref, undone: null, stored: [] }]);
  });

  it('programs it leaves under the names of ours are not run', async () => {
    const ref = await turn(
      `for each in find tar sha256sum xargs head sh chmod rm tac; do
        printf '#!/bin/sh\\ntouch /work/forged\\n' >$each; chmod 755 $each
      done
      printf 'touch /work/forged' >.profile; cp .profile .bashrc; mkdir /tmp/x; echo forged >/tmp/locks`,
      null,
    );
    const next = await run('ls -A', { workspace: { from: ref } });
    expect(text(next)).not.toContain('forged');
  });

  it('times set back do not hide that a file changed', async () => {
    const first = await turn(`printf one >f; touch -d '2001-01-01' f`, null);
    const second = await turn(`printf two >f; touch -d '2001-01-01' f`, first);
    expect(second.digest).not.toBe(first.digest);
    expect(text(await run('cat f', { workspace: { from: second } }, another))).toBe('two');
  });

  it('a file that changes while it is read loses the run, and no state of it is left', async () => {
    const owner = { campaignId: 'workspaces-test', ownerId: 'changes while read' };
    const from = await turn('head -c 20000000 /dev/urandom >f; chmod 666 f; echo kept >g', null, { owner });
    // No process of a command lives so long: it is another user's.
    const docker = connectDocker();
    const label = [`${LABEL.campaign}=${owner.campaignId}`, `${LABEL.owner}=${owner.ownerId}`];
    const [held] = await docker.listContainers({ filters: { label } });
    const write = 'import os; f = os.open("/work/f", os.O_WRONLY)\nwhile True: os.pwrite(f, os.urandom(8), 0)';
    const writer = await docker.getContainer(held!.Id).exec({ Cmd: ['python3', '-c', write], User: '0' });
    await writer.start({ Detach: true });
    const onceChanging =
      'was=$(head -c 8 f | sha256sum); while [ "$was" = "$(head -c 8 f | sha256sum)" ]; do :; done; : >h';
    // Whichever sees it first: our comparison, or tar.
    await expect(run(onceChanging, { workspace: { from }, owner })).rejects.toMatchObject({
      type: 'sandbox.lost',
      message: expect.stringMatching(/a workspace (changed while it was read|could not be read)/) as string,
    });
    const again = await run('ls; cat g', { workspace: { from }, owner });
    expect([again.container, text(again)]).toEqual(['fresh', 'f\ng\nkept\n']);
    expect(again.workspace).toEqual({ ref: from, undone: null, stored: [] });
  });

  it('files of a run come before what is in their place, or locked', async () => {
    const from = await turn('echo x >a; mkdir -p b/c/d locked; ln -s /etc out; chmod 0 locked', null);
    const files = { 'a/in': '1', 'b/c': '2', 'locked/in': '3', 'out/in': '4' };
    const shown = await run('cat a/in b/c locked/in out/in', { workspace: { from }, files });
    expect([text(shown), shown.workspace?.undone]).toEqual(['1234', null]);
  });
});

describe('a workspace over many turns', () => {
  it('is put together now and then, and each of its states stays', async () => {
    const [refs, stored]: [WorkspaceRef[], number[]] = [[], []];
    let ref: WorkspaceRef | null = null;
    for (let count = 0; count < 40; count += 1) {
      const script: string = `${count === 0 ? 'head -c 2000000 /dev/urandom >base;' : ''} echo ${count} >f${count % 7}; mkdir -p d; mv f* d 2>/dev/null; true`;
      const done: SandboxResult = await run(script, { workspace: { from: ref } });
      ref = done.workspace!.ref;
      stored.push(done.workspace!.stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
      refs.push(ref!);
    }
    for (const at of [0, 31, 32, 39]) {
      const there = await run('cat d/* | sort -n | tail -n 1', { workspace: { from: refs[at]! } }, another);
      expect([text(there), there.workspace?.ref]).toEqual([`${at}\n`, refs[at]]);
    }
    // The large first layer is stored once.
    expect(stored.slice(1).reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(600_000);
  });

  it('moves and touches without storing bytes again', async () => {
    const from = await turn('head -c 3000000 /dev/urandom >large', null);
    const { workspace } = await run('mkdir m; cp large m/copy; mv large m/moved; chmod 600 m/moved; touch m/copy', {
      workspace: { from },
    });
    expect(workspace!.stored.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBeLessThan(5_000);
    const there = await run('cmp m/copy m/moved && echo same', { workspace: { from: workspace!.ref } }, another);
    expect([text(there), there.workspace?.ref]).toEqual(['same\n', workspace!.ref]);
  });
});

describe('a workspace too large for memory', () => {
  const limits = { workspaceBytes: 1.25 * 1024 ** 3, memoryBytes: 512 * 1024 ** 2 };

  it('is on a disk that goes with its container, and comes back exactly', async () => {
    const ref = await turn(`mkdir d; head -c 1000000 /dev/urandom >d/f; ln d/f d/g; chmod 0 d`, null, { limits });
    const warm = await run('chmod 700 d; stat -c %h d/f; df --output=fstype . | tail -n 1', {
      ...{ workspace: { from: ref }, limits },
    });
    expect(text(warm)).toMatch(/^2\n(?!tmpfs)/);
    const there = await run('true', { workspace: { from: ref }, limits }, another);
    expect(there.workspace).toEqual({ ref, undone: null, stored: [] });
  });

  it('is ended from outside when it grows beyond its limit', async () => {
    const script = 'for each in $(seq 16); do head -c 100M /dev/zero >$each; done; sleep 600';
    const { workspace, exitCode } = await run(script, { workspace: { from: null }, limits });
    expect([workspace?.undone?.because, exitCode]).toEqual(['bytes', 137]);
  });
});
