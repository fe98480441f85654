import { posix } from "node:path";
import { slugOf } from "@slipway/spec";
import { executableBitOf, firstBytesOf, isFile, isObject, jsonOf, namesIn, textOf } from "./read-result.ts";
import type { PublishDeps, PublishFailure, ReleaseToPublish } from "./release.ts";
import { runProgram } from "./run-program.ts";

/** A file that is executed as it is, or the line of a script that starts the program; `$here` is the release's folder. */
export type FoundCommand = { readonly path: string } | { readonly name: string; readonly program: string };

/** Finds the program of a result that people call: where package managers look, then where builds put executables. */
export async function findCommand(
  deps: PublishDeps,
  release: ReleaseToPublish,
): Promise<FoundCommand | PublishFailure | undefined> {
  return (
    (await byPackageJson(release)) ??
    (await byPyproject(release)) ??
    (await byExecutable(release)) ??
    (await byPythonModule(release)) ??
    (await byBuilding(deps, release))
  );
}

/** A name that is safe in a path, in a shell and on a terminal. */
function isPlain(name: string): boolean {
  return /^[A-Za-z0-9_][\w.-]{0,63}$/.test(name);
}

/** A path inside the release that needs no quotes. */
function isPlainPath(path: string): boolean {
  return path.split("/").every(isPlain) && path.length <= 300;
}

async function byPackageJson(release: ReleaseToPublish): Promise<FoundCommand | undefined> {
  const manifest = (await jsonOf(release, "package.json")) ?? {};
  const { bin } = manifest;
  const own = typeof manifest["name"] === "string" ? posix.basename(manifest["name"]) : "";
  const entries = typeof bin === "string" ? [[own, bin] as const] : isObject(bin) ? Object.entries(bin) : [];
  const fit = entries.flatMap(([name, target]) => {
    const path = typeof target === "string" ? posix.normalize(target) : "";
    return isPlain(name) && isPlainPath(path) ? [{ name, path }] : [];
  });
  const id = slugOf(release.document.id);
  const { name, path } = fit.find((one) => one.name === id) ?? fit[0] ?? {};
  if (name === undefined || path === undefined) return undefined;
  const bit = await executableBitOf(release, path);
  if (bit === undefined) return undefined;
  if (bit && path === `bin/${name}` && (await isStartable(release, path))) return { path };
  return { name, program: `exec node "$here/${path}" "$@"` };
}

/** `name = "package.module:function"` below `[project.scripts]`. */
async function byPyproject(release: ReleaseToPublish): Promise<FoundCommand | undefined> {
  const text = (await textOf(release, "pyproject.toml")) ?? "";
  const section = /^\[(?:project|tool\.poetry)\.scripts\][ \t]*\r?\n((?:(?!\[).*\r?\n?)*)/m.exec(text)?.[1] ?? "";
  const [, quoted, plain, module, name] =
    /^[ \t]*(?:"([^"\n]+)"|([\w.-]+))[ \t]*=[ \t]*["']([A-Za-z_][\w.]*):([A-Za-z_]\w*)["']/m.exec(section) ?? [];
  const command = quoted ?? plain;
  if (command === undefined || !isPlain(command)) return undefined;
  const code = `import sys; from ${module} import ${name}; sys.argv[0] = "${command}"; sys.exit(${name}())`;
  return { name: command, program: `${python} -c '${code}' "$@"` };
}

/** No byte code is written beside a release: it belongs to everybody. */
const python = 'PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$here/src:$here" exec python3';

/** Anything in `bin` is a command; elsewhere only what has the name of the application. */
async function byExecutable(release: ReleaseToPublish): Promise<FoundCommand | undefined> {
  const id = slugOf(release.document.id);
  const inBin = (await namesIn(release, "bin", "file")).filter(isPlain).map((name) => `bin/${name}`);
  for (const path of [`bin/${id}`, `dist/${id}`, `build/${id}`, `target/release/${id}`, id, ...inBin])
    if (await isStartable(release, path)) return { path };
  return undefined;
}

/** Whether the system can start a file: a script that names its interpreter, or a program for Linux or macOS. */
async function isStartable(release: ReleaseToPublish, path: string): Promise<boolean> {
  if ((await executableBitOf(release, path)) !== true) return false;
  const first = await firstBytesOf(release, path, 4);
  return first.startsWith("2321") || ["7f454c46", "cffaedfe", "cafebabe"].includes(first);
}

async function byPythonModule(release: ReleaseToPublish): Promise<FoundCommand | undefined> {
  const id = slugOf(release.document.id);
  for (const root of ["src", "."])
    for (const name of await namesIn(release, root, "folder"))
      if (/^[A-Za-z_]\w{0,63}$/.test(name) && (await isFile(release, `${root}/${name}/__main__.py`)))
        return { name: id, program: `${python} -m ${name} "$@"` };
  return undefined;
}

/** Programs that nobody has linked yet; their packages must be there, since there is no network. */
async function byBuilding(deps: PublishDeps, release: ReleaseToPublish) {
  const id = slugOf(release.document.id);
  if ((await isFile(release, "go.mod")) && (await isFile(release, "main.go"))) {
    const env = { GOPROXY: "off", GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
    const build = { name: "go build", command: `mkdir -p bin && go build -o bin/${id} .`, env };
    return (await runProgram(deps, release, build)) ?? { path: `bin/${id}` };
  }
  if ((await isFile(release, "Cargo.toml")) && (await isFile(release, "src/main.rs"))) {
    // The package's name may be another than the document's: the one executable that comes out is it.
    const find = "find target/release -maxdepth 1 -type f -perm -u+x | head -n 1";
    const command = `cargo build --release --offline && mkdir -p bin && cp "$(${find})" bin/${id}`;
    return (await runProgram(deps, release, { name: "cargo build", command })) ?? { path: `bin/${id}` };
  }
  return undefined;
}
