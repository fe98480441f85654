/**
 * Names in the lockfile what a registry without the programs of other platforms left out of it: `npm ci` of npm 11
 * refuses a lockfile that lacks an optional package, even one for a platform that it does not install on.
 * After a change of dependencies: `node tools/complete-lockfile.ts`.
 */
import { readFileSync, writeFileSync } from "node:fs";

interface LockedPackage {
  readonly version?: string;
  readonly dev?: true;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}
type Packages = Readonly<Record<string, LockedPackage>>;

/** An optional package that another one names and the lockfile does not have. */
interface Missing {
  readonly place: string;
  readonly name: string;
  readonly version: string;
  readonly isDev: boolean;
}

/** What `npm ci` would find missing. */
export function missingPackages(packages: Packages): Missing[] {
  return Object.entries(packages).flatMap(([place, { optionalDependencies = {}, dev }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => placeOf(packages, place, name) === undefined)
      .map(([name, version]) => ({
        place: `${place.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, "")}/node_modules/${name}`.replace(/^\//, ""),
        name,
        version,
        isDev: dev === true,
      })),
  );
}

/** Where Node finds a package as seen from another one. */
function placeOf(packages: Packages, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(folder.lastIndexOf("/node_modules/"), 0))) {
    const place = `${folder === "" ? "" : `${folder}/`}node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (folder === "") return undefined;
  }
}

/** Its platform, as its name says. No checksum: the registry asked has none; npm takes the version that is named. */
function entryOf({ name, version, isDev }: Missing): object {
  const platforms =
    /-(android|darwin|freebsd|linux|openharmony|win32)-(arm64|arm|x64|ia32|ppc64|riscv64|s390x|loong64)/;
  const [, os, cpu] = platforms.exec(name) ?? [];
  if (os === undefined || cpu === undefined) throw new Error(`${name} does not name its platform: add it by hand.`);
  const libc = os !== "linux" ? [] : name.includes("musl") ? ["musl"] : ["glibc"];
  return {
    version,
    cpu: [cpu],
    ...(isDev && { dev: true }),
    ...(libc.length > 0 && { libc }),
    optional: true,
    os: [os],
  };
}

if (import.meta.main) {
  const file = new URL("../package-lock.json", import.meta.url);
  const lock = JSON.parse(readFileSync(file, "utf8")) as { packages: Packages };
  const missing = missingPackages(lock.packages);
  const added = missing.map((one) => [one.place, entryOf(one)] as const);
  const byPlace = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => a.localeCompare(b, "en");
  const packages = Object.fromEntries([...Object.entries(lock.packages), ...added].sort(byPlace));
  writeFileSync(file, `${JSON.stringify({ ...lock, packages }, undefined, 2)}\n`);
  console.log(`${missing.length} packages added`);
}
