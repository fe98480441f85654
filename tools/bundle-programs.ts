import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildResult, Plugin } from "esbuild";

/** A program of ours, and the folder for its bundle. */
export interface Program {
  readonly entry: string;
  readonly folder: string;
  /** Where our packages are built, for a bundle that is published: nobody changes what went into it. */
  readonly builtPackages?: string;
  /** It ends soon: each millisecond of its start counts. */
  readonly isShort?: true;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const ownFile = fileURLToPath(import.meta.url);
const require = createRequire(import.meta.url);
export const { findBundle } = require("../packages/server/bin/find-bundle.cjs") as {
  findBundle: (folder: string) => string | undefined;
};

/** What `slipway serve` and its siblings run: see packages/server/bin. */
export const service: Program = {
  entry: join(root, "packages/server/src/main.ts"),
  folder: join(root, "packages/server/dist/service"),
};

/** What every other `slipway` command runs: see packages/cli/bin. */
export const command: Program = {
  entry: join(root, "packages/cli/src/main.ts"),
  folder: join(root, "packages/cli/dist/command"),
  isShort: true,
};

/** Packages of others that a bundle takes in: those that every start loads. The rest are loaded from where they are. */
const takenIn = [
  "kysely",
  "yaml",
  "ajv",
  "ajv-formats",
  "prom-client",
  "fastify",
  "pg",
  "pino",
  "tar-stream",
  "ipaddr.js",
  "mrmime",
  "commander",
  "picocolors",
];

/** For packages that are no modules and ask for parts of Node by `require`, and for `keepAddresses`. */
const banner = `import { createRequire as requireFrom } from "node:module";
const bundleAddress = import.meta.url, require = requireFrom(bundleAddress);`;

/** Makes what requires when it is needed: for the parts of Node that packages ask for, it never is. */
const shortBanner = `const bundleAddress = import.meta.url;
const require = (name) =>
  process.getBuiltinModule(name) ?? process.getBuiltinModule("node:module").createRequire(bundleAddress)(name);`;

/** Makes a program's bundle where it is missing or no longer fits, and returns the file to start. */
export async function bundleProgram(program: Program): Promise<string> {
  const made = findBundle(program.folder);
  if (made !== undefined) return made;
  const startedMs = Date.now();
  const { build } = await import("esbuild");
  const threads = threadsOf(program);
  const built = await build({
    absWorkingDir: root,
    entryPoints: { main: program.entry, ...Object.fromEntries(threads) },
    outdir: program.folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    metafile: true,
    write: false,
    logLevel: "warning",
    banner: { js: program.isShort ? shortBanner : banner },
    define: { "import.meta.url": "ownAddress" },
    alias: aliasesFor(program),
    nodePaths: [join(root, "node_modules")],
    plugins: [leaveOthersOut(), startNothing(), keepAddresses(program.folder, threads)],
  });
  return save(program, built, startedMs);
}

/** The programs of a program's threads, by name: loading one from its many files would take longer than most of its work. */
function threadsOf({ entry }: Program): ReadonlyMap<string, string> {
  const folder = dirname(entry);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const named = files.map(
    (file) => [/^([\w-]+-thread)\.[jt]s$/.exec(basename(file))?.[1], join(folder, file)] as const,
  );
  return new Map(named.filter((one): one is [string, string] => one[0] !== undefined && one[0] !== "bounded-thread"));
}

type Built = BuildResult<{ metafile: true; write: false }>;

/** A service that runs may still load parts of the bundle before: that one stays, older ones go. */
function save({ folder, builtPackages }: Program, { outputFiles, metafile }: Built, startedMs: number): string {
  const hash = createHash("sha256");
  for (const file of outputFiles) hash.update(file.hash);
  const name = hash.digest("hex").slice(0, 16);
  mkdirSync(join(folder, name), { recursive: true });
  for (const { path, text } of outputFiles)
    writeFileSync(join(folder, name, relative(folder, path)), withoutImportsOfNode(text));

  const installed = join(root, "node_modules/.package-lock.json");
  const ours = Object.keys(metafile.inputs).filter((file) => !/node_modules\/|^start-nothing:/.test(file));
  const watched = builtPackages === undefined ? [...ours.map((file) => resolve(root, file)), installed, ownFile] : [];
  const inputs = watched.map((file) => {
    const modifiedMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs;
    // What somebody saved meanwhile may be in the bundle or not: then it never fits.
    return [relative(folder, file), modifiedMs !== undefined && modifiedMs > startedMs ? 0 : modifiedMs];
  });
  const current = join(folder, "current.json");
  const before = bundleNamed(current);
  const entry = `${name}/main.mjs`;
  writeFileSync(`${current}.${process.pid}`, JSON.stringify({ entry, inputs }));
  renameSync(`${current}.${process.pid}`, current);
  for (const other of readdirSync(folder))
    if (![name, before, "current.json"].includes(other)) rmSync(join(folder, other), { recursive: true, force: true });
  return join(folder, entry);
}

function bundleNamed(current: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(current, "utf8")) as { entry: string }).entry.split("/")[0];
  } catch {
    return undefined;
  }
}

/** Published packages lie beside each other as the built ones do: their files find each other by the same addresses. */
function aliasesFor({ builtPackages }: Program): Record<string, string> {
  if (builtPackages === undefined) return {};
  const names = ["spec", "contract", "client", "blueprints"];
  return Object.fromEntries(names.map((name) => [`@slipway/${name}`, join(builtPackages, name, "src/index.js")]));
}

/** Packages of others stay outside, unless they are named above or belong to one that is. */
function leaveOthersOut(): Plugin {
  return {
    name: "leave-others-out",
    setup: ({ onResolve }) =>
      onResolve({ filter: /^[^./]/ }, ({ path, importer, kind }) => {
        const name = path.split("/", path.startsWith("@") ? 2 : 1).join("/");
        const isTakenIn = name.startsWith("@slipway/") || takenIn.includes(name);
        const isOurs = !importer.includes(`${sep}node_modules${sep}`);
        return kind !== "entry-point" && isOurs && !isTakenIn ? { path, external: true } : undefined;
      }),
  };
}

/** Commander could start programs for commands, which ours never are: loading what does that takes 3 ms. */
function startNothing(): Plugin {
  return {
    name: "start-nothing",
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
        importer.includes(`${sep}commander${sep}`) ? { path, namespace: "start-nothing" } : undefined,
      );
      onLoad({ filter: /./, namespace: "start-nothing" }, () => ({ contents: "export default {};" }));
    },
  };
}

/**
 * An import of a part of Node reads all its exports, and some of them load more than a program needs: those of
 * `node:http` all that is behind `fetch`, those of `node:process` the standard streams.
 */
export function withoutImportsOfNode(code: string): string {
  return code.replace(/^import (?:\* as )?(.+) from ("node:[^"]+");$/gm, (_, names: string, part: string) => {
    const [, first, several] = /^([\w$]+)?(?:, )?(\{.*\})?$/.exec(names) ?? [];
    const built = `process.getBuiltinModule(${part})`;
    const parts = [first && `${first} = ${built}`, several && `${several.replaceAll(" as ", ": ")} = ${built}`];
    return `const ${parts.filter(Boolean).join(", ")};`;
  });
}

/** A file of ours that finds others by its own address still does: its place as seen from the bundle is known. Threads move along. */
function keepAddresses(folder: string, threads: ReadonlyMap<string, string>): Plugin {
  return {
    name: "keep-addresses",
    setup: ({ onLoad }) =>
      onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
        if (path.includes(`${sep}node_modules${sep}`)) return undefined;
        const text = readFileSync(path, "utf8").replace(threadAddress, (address, name: string) =>
          threads.has(name) ? `new URL("./${name}.mjs", bundleAddress)` : address,
        );
        if (!text.includes("import.meta.url") && !text.includes("bundleAddress")) return undefined;
        const place = JSON.stringify(relative(join(folder, "bundle"), path).replaceAll(sep, "/"));
        return {
          contents: `const ownAddress = new URL(${place}, bundleAddress).href; ${text}`,
          loader: path.endsWith(".ts") ? "ts" : "js",
        };
      }),
  };
}

const threadAddress = /new URL\("\.\/([\w-]+-thread)\.[jt]s", import\.meta\.url\)/g;

if (import.meta.main) {
  await bundleProgram(service);
  await bundleProgram(command);
}
