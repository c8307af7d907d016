/** Workflows out of source packages of PyPI, which are fetched by name and checked by hash. Needs `python3` with pip. */
import { spawnSync } from 'node:child_process';

/** A source package: its project, its file, and the sha-256 of that. */
export type Sdist = readonly [project: string, file: string, sha256: string];

export const SDISTS: readonly Sdist[] = [
  ['attrs', 'attrs-26.1.0.tar.gz', 'd03ceb89cb322a8fd706d4fb91940737b6642aa36998fe130a9bc96c985eff32'],
  ['pytest', 'pytest-9.2.0.tar.gz', '97c4f3b1f3c7414aa36465e09b8220f1d03627993bd51b1282e193753c80557b'],
  ['structlog', 'structlog-26.1.0.tar.gz', 'f63a716cbd1b1291cf7661de7794b455acfa4c43c5bcf1630e6ad5ddc1adb3b7'],
  ['black', 'black-26.5.1.tar.gz', 'dd321f668053961824bcc1be1cc1df748b2d7e4fa28086b08331e577b0100a73'],
  ['xarray', 'xarray-2026.9.0.tar.gz', '6abc69694c22fa1f0fb2f357ff4e41d88beb4477ed71091f944b7dbf67ed54fe'],
  ['anyio', 'anyio-4.16.0.tar.gz', '59bb03251907983d1603d27c3087ddb1e93299ea2163adcdba37899a4fb12ffb'],
  ['numpy', 'numpy-2.5.5.tar.gz', '5cddc243c75114ba845f01b1f87aca1572dbf7b6c2d88636ed3e1d2bccd7f1bf'],
];

/** `pip download` would build each of them to learn what it needs. The index is the one that pip uses. */
const SCRIPT = `
import hashlib, html, io, json, os, re, subprocess, sys, tarfile
from urllib.parse import urljoin
from urllib.request import urlopen
project, file, sha256 = sys.argv[1:]
asked = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
index = os.environ.get("PIP_INDEX_URL") or asked.stdout.strip() or "https://pypi.org/simple"
page = f"{index.rstrip('/')}/{project}/"
links = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>\\s*([^<\\s]+)\\s*</a>', urlopen(page, timeout=60).read().decode())
content = urlopen(urljoin(page, html.unescape(dict((name, url) for url, name in links)[file]).split("#")[0]), timeout=300).read()
found = hashlib.sha256(content).hexdigest()
if found != sha256: sys.exit(f"has the hash {found}, not {sha256}")
with tarfile.open(fileobj=io.BytesIO(content)) as packed:
    wanted = [each for each in packed if re.search(r"^[^/]+/\\.github/workflows/[^/]+\\.ya?ml$", each.name)]
    json.dump({each.name: packed.extractfile(each).read().decode() for each in wanted}, sys.stdout)`;

/** Path in the package → text, for its workflows. */
export function workflowsOfSdist([project, file, sha256]: Sdist): Map<string, string> {
  const { stdout, status, stderr } = spawnSync('python3', ['-c', SCRIPT, project, file, sha256], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (status !== 0) throw new Error(`${file}: ${stderr}`);
  return new Map(Object.entries(JSON.parse(stdout) as Record<string, string>));
}
