import type { Duplex, Readable } from 'node:stream';
import type { SandboxLimits } from '../contract/sandbox-limits.js';
import type { CapturedOutput, SandboxResult, WorkspaceEnd, WorkspaceRef } from '../contract/sandbox-result.js';

export type { CapturedOutput, SandboxResult, WorkspaceEnd, WorkspaceRef };

/** Content delivered read-only into a container: a Docker volume named by its hash, filled once. */
export interface ContentMount {
  /** sha-256 of the tar; the volume's identity. */
  sha256: string;
  /** The uncompressed tar, whole or as it comes (`blobs.open`); read only when the volume does not exist yet. */
  load(): Promise<Uint8Array | Readable>;
  /** Absolute path in the container: `/candidate`, `/runner`. */
  path: string;
  /**
   * A command, run once in the image when the volume is filled, that saves every later command work: bytecode beside sources.
   * It finds the content at `path`; what it leaves in `/work`, where it starts, is added to it. It is held as every run is; where
   * it fails, takes longer than two minutes or leaves more than a run's folder holds, the content is there without it.
   */
  prepare?: readonly string[];
}

/** An image that a nested engine has. */
export interface EngineImage {
  /** Image recipe name under `deploy/images/`. */
  image: string;
  /** What it is called on the nested engine: `postgres:16`. */
  names: readonly string[];
}

/** A port on the loopback of a run's container, through which its command reaches a service of the worker's, and nothing else. */
export interface Door {
  /** 1024 to 65535. */
  port: number;
  /** Called for each connection with the worker's end of it, a stream like a socket's; the run's end destroys it. */
  serve(connection: Duplex): void;
}

/** One command in a hardened container: no network, user 65534, read-only root, no capabilities. It starts in `/work`, empty but for `files`. */
export interface SandboxRun {
  /** Image recipe name under `deploy/images/`: `base`, `<suite>-<project>`. */
  image: string;
  command: string[];
  /**
   * A program that has loaded what the command would load, and runs the command in a copy of itself, for one run after another in a
   * container they share: `command` alone must do the same, and a sandbox may run that. It is trusted as the image is: it loads
   * nothing of what it runs, and keeps it from its own input and output. On its input come, for each run, a line of JSON (`command`,
   * `cpuSeconds`, `filesBytes`), the tar for `/work`, `stdin`, and a line with a token; the input stays open, so that the command must
   * know where `stdin` ends. It answers `durabench-ready`, the container's CPU nanoseconds so far, then the command's own outputs, and at
   * the end of each of the two a line with the token, the exit status, and `more`, or `last` where it serves no other run.
   */
  forkServer?: readonly string[];
  /** Files put into `/work` (tmpfs) before the command starts: path → bytes. */
  files?: Record<string, Uint8Array | string>;
  stdin?: Uint8Array | string;
  env?: Record<string, string>;
  mounts: ContentMount[];
  limits?: Partial<SandboxLimits>;
  /**
   * A Docker engine of its own in the container, beside the command: the second profile of the sandbox. The command runs as root,
   * since its engine's socket is as much; containers it starts share the limits, have no network but each other, no device, and
   * cannot be privileged. Its engine begins with these images and nothing else, and everything made on it is gone before the next run.
   */
  engine?: { images: readonly EngineImage[] };
  /** Files and folders below `/work` that are brought back when the command has ended by itself; what is not there is left out. */
  take?: readonly string[];
  /**
   * `/work` begins as an earlier run left it, empty where `from` is null, with `files` on top, and is kept when the command has ended
   * by itself, whatever its exit status: contents, modes, links and times exactly, and nothing else. All processes are ended
   * first; sockets and pipes go with them, as do `/tmp` and the environment. What is killed, or cannot be kept
   * (`WorkspaceLoss`), is undone as a whole. Limits: `workspace…` of `limits`. Never with `engine` or `forkServer`.
   */
  workspace?: { from: WorkspaceRef | null };
  /**
   * Open while the command runs; the container still has no network. Its image needs python3. A door that breaks is closed, and
   * the command then finds its connections refused.
   */
  doors?: readonly Door[];
  /**
   * Aborted: the command and all it has started are told to end (SIGTERM), five seconds later ended (SIGKILL), and the run then
   * ends as one that ended by itself, with what it was to leave.
   */
  finish?: AbortSignal;
  /** Runs with one key may share a container one after another (the candidate is the trust domain); null = a container of its own. */
  poolKey: string | null;
  /** Waits until nothing else runs in this sandbox, and lets nothing else start meanwhile: for a second look at a timeout. */
  exclusive?: boolean;
  /** For labels, so that leftovers are attributable. */
  owner: { campaignId: string; ownerId: string };
  signal: AbortSignal;
  /** Called once, when the command starts: it has its container, its files and its doors. */
  onStart?: () => void;
  /** Called at least every 3 s while it runs. */
  onProgress?: () => void;
}

/**
 * Containers for hostile code. An error that is not the command's own is thrown as `DomainFailure`: `sandbox.unavailable` (Docker
 * does not answer), `sandbox.lost` (the container vanished, or nobody can tell how the command ended: `RunLost`, with what is known), `sandbox.image-missing`, `sandbox.disk-full`. An aborted signal kills
 * the container and rejects with the signal's reason.
 */
export interface Sandbox {
  run(run: SandboxRun): Promise<SandboxResult>;
  /** Recipe digest of an image that is present; fails with `sandbox.image-missing` and the command that builds it. */
  imageDigest(image: string): Promise<string>;
  /** Force-removes every container this instance owns. */
  close(): Promise<void>;
}
