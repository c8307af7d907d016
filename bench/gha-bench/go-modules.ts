/** Files of Go modules that are fetched by version and checked by hash. Needs `go`, a module proxy and `python3`. */
import { spawnSync } from 'node:child_process';

/** A module, its version, and the hash of its content as go.sum has it. */
export type GoModule = readonly [module: string, version: string, sum: string];

/** What the table of pins is made from (`pins.ts`). */
export const PIN_MODULES: readonly GoModule[] = [
  ['github.com/goreleaser/goreleaser/v2', 'v2.18.2', 'h1:mNyu2jFcuLlNFM90jzfQpz/IDZBsIgskHz02CHVoY/o='],
  ['github.com/sigstore/cosign/v2', 'v2.6.5', 'h1:D7kFSWS2HzfD+LpEuBO89D1KfOAODlkWuuhzXS8yzi0='],
  ['github.com/rhysd/actionlint', 'v1.7.12', 'h1:vQ4GeJN86C0QH+gTUQcs8McmK62OLT3kmakPMtEWYnY='],
  ['github.com/spf13/cobra', 'v1.10.2', 'h1:DMTTonx5m65Ic0GOoRY2c16WCbHxOOw6xxezuLaBpcU='],
  ['github.com/sigstore/rekor', 'v1.5.5', 'h1:nZKTBT0uRlKaFW4PafFIE7F5H26PInFF2qOlWouKYYA='],
  ['github.com/anchore/syft', 'v1.57.0', 'h1:H/UHtf0KbIlD12dXsfklFMjZ2+erj2an3h/jBHoX/zE='],
  ['github.com/google/osv-scanner/v2', 'v2.6.0', 'h1:hqtNLANWaKcqOC6znJX8J/23PtzV82RX23oMS9/ab4I='],
  ['github.com/caddyserver/caddy/v2', 'v2.11.9', 'h1:bhZtcRKQOq0fuLvEgCdPYvUxXyGn9kzjG4lh2332DTE='],
  ['github.com/stretchr/testify', 'v1.12.1', 'h1:EuwCh5fleGS7H32xRwO3wRGT7DxrDhLAT6FF8MpWDWE='],
  ['github.com/prometheus/prometheus', 'v0.316.0', 'h1:f1GRFerhTMKQma+awCoC9T820ecWeGSdF+xAlMHzZzM='],
  ['github.com/sigstore/sigstore', 'v1.11.3', 'h1:gPjEXTOfVNDFQgkEjyLUo+DDh6EA+iklLp1t5slnuGs='],
  ['github.com/gin-gonic/gin', 'v1.12.0', 'h1:b3YAbrZtnf8N//yjKeU2+MQsh2mY5htkZidOM7O0wG8='],
];

/** Path in the module → bytes; `nested`: those in the zips that the pattern finds. Of some modules everything together does not fit into memory, so only what is asked for is unpacked. */
export function filesOfModule(
  [name, version, sum]: GoModule,
  pattern: RegExp,
  kind: 'plain' | 'nested' = 'plain',
): Map<string, Buffer> {
  const script = `
import base64, io, json, re, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as zipped:
    files = {name: zipped.read(name) for name in zipped.namelist() if re.search(sys.argv[2], name)}
if sys.argv[3] == "nested":
    inner = [zipfile.ZipFile(io.BytesIO(content)) for content in files.values()]
    files = {entry.filename: each.read(entry) for each in inner for entry in each.infolist() if not entry.is_dir()}
json.dump({name: base64.b64encode(content).decode() for name, content in files.items()}, sys.stdout)`;
  const { stdout, status, stderr } = spawnSync(
    'python3',
    ['-c', script, zipOf(name, version, sum), pattern.source, kind],
    { encoding: 'utf8', maxBuffer: 256 * 1024 ** 2 },
  );
  if (status !== 0) throw new Error(`${name}: ${stderr}`);
  const root = `${name}@${version}/`;
  return new Map(
    Object.entries(JSON.parse(stdout) as Record<string, string>).map(([path, base64]) => [
      path.startsWith(root) ? path.slice(root.length) : path,
      Buffer.from(base64, 'base64'),
    ]),
  );
}

function zipOf(name: string, version: string, sum: string): string {
  // Exits 1 where the module wants a newer Go than this one, and has fetched it all the same.
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', `${name}@${version}`], {
    encoding: 'utf8',
    env: { ...process.env, GOTOOLCHAIN: 'local' },
  });
  const { Zip: zip, Sum: hash } = JSON.parse(stdout) as { Zip?: string; Sum?: string };
  if (zip === undefined) throw new Error(`${name}@${version} was not fetched: ${stdout}`);
  if (hash !== sum) throw new Error(`${name}@${version} has the hash ${hash}, not ${sum}`);
  return zip;
}
