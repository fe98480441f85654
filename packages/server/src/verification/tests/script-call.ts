import { join, normalize } from "node:path/posix";
import { compileGlob } from "../../platform/glob.ts";
import { type Package, type Packages, packageAt } from "./packages.ts";
import { splitWords, unquoted } from "./shell-words.ts";

/** A command that has a package manager run a script of package.json. */
export interface ScriptCall {
  readonly script: string;
  /** Whose script: of the package that the command is in, of all workspaces, or of those that are named. */
  readonly of: "here" | "all" | readonly string[];
  /** Where the package manager looks for the package, from where the command is. */
  readonly folder: string;
  /** Packages without the script are left out. */
  readonly isOptional: boolean;
  readonly includesRoot: boolean;
}

/** What each option of a package manager means; any other makes a call that we do not read. */
type Meaning = "all" | "named" | "folder" | "optional" | "root" | "nothing";

const quiet = meaning("nothing", "-s --silent -q --quiet");
const npm = {
  ...quiet,
  ...meaning("all", "--workspaces -ws --ws --workspaces=true"),
  ...meaning("named", "-w --workspace"),
  ...meaning("folder", "--prefix -C"),
  ...meaning("optional", "--if-present"),
  ...meaning("root", "--include-workspace-root -iwr"),
};
const pnpm = {
  ...quiet,
  ...meaning("all", "-r --recursive"),
  ...meaning("named", "--filter -F"),
  ...meaning("folder", "--dir -C --prefix"),
  ...meaning("optional", "--if-present"),
  ...meaning(
    "nothing",
    "--parallel --stream --sort --no-sort --bail --no-bail --aggregate-output --reporter-hide-prefix",
  ),
};
const yarn = {
  ...quiet,
  ...meaning("folder", "--cwd"),
  ...meaning("nothing", "-A --all -p --parallel -i --interlaced -v --verbose -t --topological --topological-dev"),
  ...meaning("nothing", "-pt -pv -pi -piv -ptv -Ap -Apt -Apv -Av -At -W --worktree"),
};
const bun = { ...quiet, ...meaning("named", "--filter -F"), ...meaning("folder", "--cwd") };

const managers: Readonly<Record<string, Readonly<Record<string, Meaning>>>> = { npm, pnpm, yarn, bun };
const shortNames: Readonly<Record<string, string>> = { t: "test", tst: "test" };

function meaning(what: Meaning, options: string): Readonly<Record<string, Meaning>> {
  return Object.fromEntries(options.split(" ").map((option) => [option, what]));
}

/** Reads a command as a call of a script; undefined if it is none, or one with options that we do not know. */
export function parseScriptCall(command: string): ScriptCall | undefined {
  const [manager = "", ...rest] = (splitWords(command) ?? []).map(unquoted);
  const options = Object.hasOwn(managers, manager) ? managers[manager]! : undefined;
  if (options === undefined) return undefined;
  const told = { folder: ".", named: [] as string[], found: new Set<Meaning>() };
  const names: string[] = [];
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at]!;
    if (!word.startsWith("-")) {
      names.push(word);
      continue;
    }
    const [name, inside] = Object.hasOwn(options, word) ? [word] : splitOnce(word);
    const means = Object.hasOwn(options, name) ? options[name]! : undefined;
    const isValued = means === "named" || means === "folder";
    if (means === undefined || (isValued && inside === undefined && at + 1 === rest.length)) return undefined;
    told.found.add(means);
    if (!isValued) continue;
    if (inside === undefined) at += 1;
    const value = inside ?? rest[at]!;
    if (means === "folder") told.folder = join(told.folder, value);
    else told.named.push(value);
  }
  return callOf(manager, names, told);
}

function callOf(
  manager: string,
  names: readonly string[],
  { folder, named, found }: { folder: string; named: readonly string[]; found: ReadonlySet<Meaning> },
): ScriptCall | undefined {
  const [first, second] = names;
  let of: ScriptCall["of"] = named.length > 0 ? named : found.has("all") ? "all" : "here";
  let left = names;
  let isOptional = found.has("optional") || (manager === "pnpm" && of !== "here");
  if (manager === "yarn" && first === "workspaces") {
    isOptional = second === "foreach";
    [of, left] = ["all", names.slice(isOptional ? 2 : 1)];
  } else if (manager === "yarn" && first === "workspace" && second !== undefined) {
    [of, left] = [[second], names.slice(2)];
  }
  if (/^(?:run|run-script)$/.test(left[0] ?? "")) left = left.slice(1);
  const [script] = left;
  if (script === undefined || left.length > 1 || !/^[\w:.-]+$/.test(script)) return undefined;
  return { script: shortNames[script] ?? script, of, folder, isOptional, includesRoot: found.has("root") };
}

/** Whose script a call in a folder runs; undefined where its package manager finds nobody. */
export function packagesOf(call: ScriptCall, packages: Packages, here: string): readonly Package[] | undefined {
  const at = normalize(join(here, call.folder));
  if (at.startsWith("..") || at.startsWith("/")) return undefined;
  if (call.of === "here") {
    const found = packageAt(at, packages);
    return found === undefined ? undefined : [found];
  }
  const root = packages.all.filter(({ folder }) => call.includesRoot && folder === ".");
  const { of } = call;
  const named = of === "all" ? packages.workspaces : packages.workspaces.filter((one) => of.some(names(one, at)));
  return named.length === 0 ? undefined : [...root, ...named];
}

/** Package managers take names, patterns of names, and folders. */
function names({ name, folder }: Package, here: string): (wanted: string) => boolean {
  return (wanted) => {
    if (wanted === "*" || wanted === name || compileGlob(wanted)?.(name) === true) return true;
    const place = normalize(join(here, wanted)).replace(/\/$/, "");
    return folder === place || folder.startsWith(`${place}/`) || compileGlob(place)?.(folder) === true;
  };
}

function splitOnce(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}
