/** Reserved words of Python 3.11. */
const KEYWORDS = new Set(
  `
  False None True and as assert async await break class continue def del elif else except finally for from global
  if import in is lambda nonlocal not or pass raise return try while with yield
`.split(/\s+/),
);

/** Top-level modules of Python 3.11's standard library. */
const STANDARD_LIBRARY = new Set(
  `
  abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect
  builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop collections colorsys compileall
  concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm
  decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput
  fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq
  hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress itertools json keyword lib2to3
  linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap modulefinder msilib msvcrt
  multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib
  pdb pickle pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd
  py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy
  sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket socketserver spwd
  sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau
  symtable sys sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit
  tkinter token tokenize tomllib trace traceback tracemalloc tty turtle turtledemo types typing unicodedata
  unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp
  zipfile zipimport zlib zoneinfo
`.split(/\s+/),
);

/** Why a text cannot name a Python symbol, folder or module, or undefined. */
export function nameProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return 'is not a Python name';
  if (KEYWORDS.has(name)) return 'is a reserved word of Python';
  if (name.length > 80) return 'is longer than 80 characters';
  if (/^__.*__$/.test(name)) return 'is kept for Python itself';
  return undefined;
}

/** Why a text cannot name the package at the top of a repository, or undefined. */
export function packageProblem(name: string): string | undefined {
  const problem = nameProblem(name);
  if (problem !== undefined) return problem;
  if (STANDARD_LIBRARY.has(name)) return 'would shadow the standard library';
  return ['tests', 'test', 'conftest', 'pytest'].includes(name) ? 'is kept for tests' : undefined;
}

/** Why a path, relative to the package, cannot hold Python code, or undefined. */
export function pathProblem(path: string): string | undefined {
  if (path.length > 150) return 'is longer than 150 characters';
  if (!path.endsWith('.py')) return 'does not end in .py';
  for (const part of path.slice(0, -3).split('/')) {
    const problem = nameProblem(part);
    if (problem !== undefined) return `has a part, ${JSON.stringify(part.slice(0, 80))}, that ${problem}`;
  }
  return undefined;
}

/** The package of a library: its title in lower case, letters and digits only; `lib` is added where that is no name. */
export function packageName(title: string): string {
  const bare = title.toLowerCase().replace(/[^a-z0-9]/g, '');
  const name = /^[a-z]/.test(bare) ? bare.slice(0, 60) : `lib${bare}`.slice(0, 60);
  return packageProblem(name) === undefined ? name : `${name}lib`;
}

/** Files that would be modules of the same name as a folder beside them: `a.py` beside `a/`. */
export function pathClashes(paths: readonly string[]): string[] {
  const folders = new Set(
    paths.flatMap((path) => path.split('/').flatMap((_, at, parts) => parts.slice(0, at).join('/'))),
  );
  return paths.flatMap((path) => {
    const stem = path.replace(/\.py$/, '');
    return folders.has(stem) ? [`${path} and the folder ${stem}/ are one module name`] : [];
  });
}
