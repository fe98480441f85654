import { posix } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import type { Scripts, Unmet } from "../plugin.ts";
import { FileSet } from "./file-set.ts";
import { js } from "./quote.ts";

export interface NodePackage {
  readonly files: FileSet;
  readonly scripts: Scripts;
  readonly unmet: readonly Unmet[];
  /** Whether a command line runs a script of the package that ends; undefined if it runs something else. */
  runs(command: string): boolean | undefined;
}

/** A type's package; the rest follows from the document. */
export interface PackageLayout {
  /** The command of each script, in the type's own layout. */
  readonly commands: Scripts;
  /** Further scripts of package.json, by name. */
  readonly more?: Readonly<Record<string, string>>;
  readonly version?: string;
  /** Folders that tests import from as `#<folder>`, wherever the tests are; `.` is the root, as `#root`. */
  readonly folders: readonly string[];
  /** Further keys of package.json, such as `bin` or `exports`. */
  readonly manifest?: Readonly<Record<string, unknown>>;
}

const npmNames = { build: "build", test: "test", start: "start", health_check: "health" } as const;

/** The package.json of a result without dependencies. The document's scripts with other names run the same programs. */
export function nodePackage(
  document: CompleteSpec,
  { commands, more = {}, version, folders, manifest: keys = {} }: PackageLayout,
): NodePackage {
  const files = new FileSet();
  const unmet: Unmet[] = [];
  const npm = new Map<string, string>();
  const kinds = Object.keys(npmNames) as (keyof typeof npmNames)[];
  for (const kind of kinds) if (commands[kind] !== undefined) npm.set(npmNames[kind], commands[kind]);
  for (const [name, command] of Object.entries(more)) npm.set(name, command);
  for (const kind of kinds) {
    const wanted = (document.scripts as Scripts | undefined)?.[kind];
    if (wanted === undefined || wanted === commands[kind]) continue;
    const reason = lead(wanted, commands[kind], npm, files);
    if (reason !== undefined) unmet.push({ pointer: `/scripts/${kind}`, reason });
  }
  const manifest = {
    name: packageName(document.id),
    version: version ?? "1.0.0",
    private: true,
    license: "MIT",
    type: "module",
    engines: { node: ">=20" },
    imports: Object.fromEntries(
      folders.map((folder) => (folder === "." ? ["#root/*", "./*"] : [`#${folder}/*`, `./${folder}/*`])),
    ),
    scripts: Object.fromEntries(npm),
    ...keys,
  };
  files.add("package.json", JSON.stringify(manifest, undefined, 2));
  const scripts = Object.fromEntries(
    kinds.filter((kind) => commands[kind] !== undefined).map((kind) => [kind, asNpm(npmNames[kind])]),
  );
  const runs = (command: string) => {
    const name = scriptName(command);
    return name === undefined ? undefined : npm.has(name) && npm.get(name) !== commands.start;
  };
  return { files, scripts, unmet, runs };
}

/** Makes the wanted command run our own; returns the reason where that is not possible. */
function lead(wanted: string, own: string | undefined, npm: Map<string, string>, files: FileSet): string | undefined {
  const script = scriptName(wanted);
  if (script !== undefined) {
    if (npm.has(script)) return undefined;
    if (own === undefined) return "There is nothing that this command could do.";
    npm.set(script, own);
    return undefined;
  }
  if (/^node --test\b/.test(wanted)) return undefined;
  const program = /^node ((?:[\w-]+\/)*[\w.-]+\.m?js)$/.exec(wanted.trim())?.[1];
  const target = /^node ([\w./-]+\.js)$/.exec(own ?? "")?.[1];
  if (program !== undefined && target !== undefined) {
    const way = posix.relative(posix.dirname(program), target);
    files.add(program, `import ${js(way.startsWith(".") ? way : `./${way}`)};`);
    return undefined;
  }
  return "This command is not known; it is kept as it is, and nothing was built for it.";
}

/** The script that an npm command line runs. */
function scriptName(command: string): string | undefined {
  return /^npm (?:run |run-script )?(?:-s |--silent )?([\w:.-]+)$/.exec(command.trim())?.[1];
}

function asNpm(name: string): string {
  return name === "test" || name === "start" ? `npm ${name}` : `npm run ${name}`;
}

/** A valid npm package name for any id. */
export function packageName(id: string): string {
  const name = id
    .toLowerCase()
    .replace(/[^a-z\d-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return (name === "" ? "project" : name).slice(0, 100);
}
