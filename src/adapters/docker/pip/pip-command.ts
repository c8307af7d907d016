/** One download by pip. */
export interface PipCommand {
  /** Text of a requirements file; every line carries its hashes. */
  requirements: string;
  /** pip's options that say which kind of file, e.g. `--only-binary=:all:`. */
  kind: readonly string[];
}

/**
 * What Python is started with to download by pip, and by pip alone. To name a source release pip runs its build script,
 * code of the repository, which nobody has looked at: as soon as an archive was opened no program is started any more.
 * Where the archive is one that was asked for, it is what was wanted: it is put into the folder, and that is the end. What
 * pip does before (keyrings, its questions about the machine) it may do. Audit hooks: PEP 578; they cannot be taken off.
 */
const WITHOUT_BUILDS = `
import hashlib, os, runpy, shutil, sys
folder, hashes = sys.argv[1], sys.argv[2].split(",")
sys.argv = ["pip", *sys.argv[3:]]
ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz", ".xz", ".txz", ".tlz", ".lz", ".lzma")
STARTS = {"subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.system", "pty.spawn"}
opened = {}
def is_wanted(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest() in hashes
    except OSError:
        return False
def watch(event, args):
    if event == "open" and str(args[0]).endswith(ARCHIVES):
        opened[args[0]] = True
    elif event in STARTS and opened:
        for path in filter(is_wanted, list(opened)):
            os.makedirs(folder, exist_ok=True)
            shutil.copy(path, folder)
            os._exit(0)
        raise PermissionError("pip wanted to start a program for an archive that was not asked for")
sys.addaudithook(watch)
runpy.run_module("pip", run_name="__main__", alter_sys=True)
`;

/** Arguments of a Python with pip for downloading what the file `list` holds into `folder`. */
export function pipCommand({ requirements, kind }: PipCommand, list: string, folder: string): string[] {
  return [
    ...['-c', WITHOUT_BUILDS, folder, hashesOf(requirements).join(',')],
    ...['download', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off', '--quiet'],
    ...['--require-hashes', '--no-deps', ...kind, '-r', list, '-d', folder],
  ];
}

/** sha-256 of every file that a requirements file allows. */
export const hashesOf = (requirements: string): string[] =>
  [...requirements.matchAll(/--hash=sha256:([0-9a-f]{64})/g)].map(([, hash]) => hash ?? '');
