import { slugOf } from "@slipway/spec";
import { wheelBuilder } from "./own-programs.ts";
import { packArchive } from "./pack-archive.ts";
import { freePlace, isFile, jsonOf, namesIn, textOf } from "./read-result.ts";
import type { Publish, PublishedRelease } from "./release.ts";
import { runProgram } from "./run-program.ts";
import { shellWord } from "./shell-word.ts";
import { takePackage } from "./take-package.ts";

/** Where the packers leave their file; nothing else is in it. */
const packFolder = ".slipway/pack";

/** A package that others install with the tool of its language. */
export const publishPackage: Publish = async (deps, release) => {
  for (const publish of [publishNode, publishPython, publishGo, publishCargo]) {
    const published = await publish(deps, release);
    if (published !== undefined) return published;
  }
  return undefined;
};

const publishNode: Publish = async (deps, release) => {
  const manifest = await jsonOf(release, "package.json");
  // npm packs nothing without a name and a version: what lacks them was not meant to be a package.
  if (typeof manifest?.["name"] !== "string" || typeof manifest["version"] !== "string") return undefined;
  // For a type that nobody knows, a private package is how an application looks.
  const isLibrary = ["library", "cli"].includes(release.document.outcome_type);
  if (!isLibrary && (manifest["private"] === true || !("exports" in manifest || "main" in manifest))) return undefined;
  // Its own scripts have run already, in the build; here they would run a second time, unasked.
  const to = await freePlace(release, packFolder);
  const pack = `mkdir -p ${to} && npm pack --ignore-scripts --offline --loglevel=error --pack-destination ${to}`;
  const failure = await runProgram(deps, release, { name: "npm pack", command: pack });
  if (failure !== undefined) return failure;
  const path = `${packageName(manifest["name"], release.document.id)}.tgz`;
  const taken = await takePackage(release, { from: to, ending: ".tgz", as: () => path });
  return "failure" in taken ? taken : installed("npm install", release.current, taken.path);
};

const publishPython: Publish = async (deps, release) => {
  const manifests = ["pyproject.toml", "setup.cfg", "setup.py"];
  const found = await Promise.all(manifests.map((path) => isFile(release, path)));
  if (!found.includes(true) && !(await hasPythonPackage(release))) return undefined;
  const to = await freePlace(release, packFolder);
  const failure = await runProgram(deps, release, {
    name: "building a wheel",
    // From standard input, so that nothing in the folder can take the place of a module.
    command: `mkdir -p ${to} && python3 -I - ${to}`,
    stdin: wheelBuilder(),
    env: { SLIPWAY_PACKAGE: slugOf(release.document.id), PIP_NO_INDEX: "1", PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  });
  if (failure !== undefined) return failure;
  const isWheel = (name: string) => (/^\w[\w.+!-]{0,200}\.whl$/.test(name) ? name : undefined);
  const taken = await takePackage(release, { from: to, ending: ".whl", as: isWheel });
  return "failure" in taken ? taken : installed("pip install", release.current, taken.path);
};

/** Go and Cargo use a folder of sources as a package; an archive of it goes with the release. */
const publishGo: Publish = async (_deps, release) => {
  const module = /^module[ \t]+"?([\w./~-]{1,200})"?[ \t\r]*$/m.exec((await textOf(release, "go.mod")) ?? "")?.[1];
  if (module === undefined) return undefined;
  const replaced = shellWord(`-replace=${module}=${release.current}`);
  return sources(release, `go mod edit ${replaced} && go get ${shellWord(module)}`);
};

const publishCargo: Publish = async (_deps, release) => {
  if (!(await isFile(release, "Cargo.toml"))) return undefined;
  return sources(release, `cargo add --path ${shellWord(release.current)}`);
};

async function sources(release: Parameters<Publish>[1], usage: string) {
  const packed = await packArchive(release, { name: `${slugOf(release.document.id)}.tar.gz` });
  if ("failure" in packed) return packed;
  return { kind: "package", usage, files: [{ path: packed.path, type: "package" }] } as const;
}

async function hasPythonPackage(release: Parameters<Publish>[1]): Promise<boolean> {
  if (release.document.outcome_type !== "library") return false;
  for (const root of [".", "src"])
    for (const name of await namesIn(release, root, "folder"))
      if (!/^tests?$/.test(name) && (await isFile(release, `${root}/${name}/__init__.py`))) return true;
  return false;
}

function installed(command: string, current: string, path: string): PublishedRelease {
  return {
    kind: "package",
    usage: `${command} ${shellWord(`${current}/${path}`)}`,
    files: [{ path, type: "package" }],
  };
}

/** As npm names its files, without the version: the line stays the same for every release. */
function packageName(name: unknown, id: string): string {
  const plain = typeof name === "string" ? name.replace(/^@/, "").replace("/", "-") : "";
  return /^[a-z0-9][\w.-]{0,99}$/i.test(plain) ? plain : slugOf(id);
}
