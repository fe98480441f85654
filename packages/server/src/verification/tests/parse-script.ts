import { join, normalize } from "node:path/posix";
import { type Package, type Packages, packageAt } from "./packages.ts";
import { packagesOf, parseScriptCall } from "./script-call.ts";
import { splitWords, unquoted } from "./shell-words.ts";
import type { RunnerName } from "./test-case.ts";

/** A part of a test script: a run of tests that we do ourselves, or a command that comes before or after. */
export type ScriptStep = (
  | {
      readonly is: "command";
      readonly command: string;
      /** It stands in package.json, where the programs of installed packages have no path before their names. */
      readonly isOfPackage?: true;
    }
  | {
      readonly is: "tests";
      readonly runner: RunnerName;
      /** The arguments after the runner's name, as a shell reads them. */
      readonly words: readonly string[];
      /** Variables that stand before it. */
      readonly variables: readonly string[];
      /** The runner's test files, from the project's folder on; left out: all of them below where it starts. */
      readonly files?: readonly string[];
    }
) & {
  /** Where it starts, from the project's folder on; left out: in the folder itself. */
  readonly startsIn?: string;
};

/** Scripts call each other, perhaps in a circle. */
const maxDepth = 5;
/** Each may name the next a hundred times. */
const maxParts = 500;
/** Nobody writes longer ones. */
const maxScriptLength = 4_096;

/**
 * Reads a test script as a list of steps; undefined if no step of it is a runner that we know. `npm test` means what stands
 * in package.json, and `npm test --workspaces` what stands in that of each workspace.
 */
export function parseTestScript(script: string, packages: Packages): readonly ScriptStep[] | undefined {
  return parsePart(script, packages, { here: ".", depth: 0, parts: { left: maxParts } });
}

interface At {
  /** The folder that the script is in. */
  readonly here: string;
  /** How many scripts of package.json it is in. */
  readonly depth: number;
  readonly parts: { left: number };
}

function parsePart(script: string, packages: Packages, at: At): readonly ScriptStep[] | undefined {
  if (at.depth > maxDepth || script.length > maxScriptLength) return undefined;
  const steps: ScriptStep[] = [];
  let { here } = at;
  for (const part of script.split("&&").map((one) => one.trim())) {
    at.parts.left -= 1;
    if (at.parts.left < 0) return undefined;
    if (/^cd\s/.test(part)) {
      const folder = folderOf(part, here);
      if (folder === undefined) return undefined;
      here = folder;
      continue;
    }
    const called = parseCall(part, packages, { ...at, here });
    if (called !== undefined) steps.push(...called);
    else steps.push(startingIn(here, parseStep(part) ?? commandOf(part, at.depth > 0)));
  }
  return steps.some(({ is }) => is === "tests") ? steps : undefined;
}

function commandOf(command: string, isOfPackage: boolean): ScriptStep {
  return { is: "command", command, ...(isOfPackage && { isOfPackage }) };
}

/** Where `cd` leads; undefined where only a shell can tell. */
function folderOf(part: string, here: string): string | undefined {
  const [, word] = /^cd\s+([\w./@+-]+|'[\w./@ +-]+'|"[\w./@ +-]+")$/.exec(part) ?? [];
  if (word === undefined || /^['"]?[/-]/.test(word)) return undefined;
  const folder = normalize(join(here, unquoted(word))).replace(/(?<=.)\/$/, "");
  return /^\.\.(?:\/|$)/.test(folder) ? undefined : folder;
}

function startingIn(folder: string, step: ScriptStep): ScriptStep {
  return folder === "." ? step : { ...step, startsIn: folder };
}

/** The steps of the scripts of package.json that a command runs; undefined if none of them runs tests. */
function parseCall(part: string, packages: Packages, at: At): readonly ScriptStep[] | undefined {
  const call = parseScriptCall(part);
  const called = call === undefined ? undefined : packagesOf(call, packages, at.here);
  if (call === undefined || called === undefined) return undefined;
  const isHere = called.length === 1 && called[0] === packageAt(at.here, packages);
  // A program may be called so, too.
  if (isHere && called[0]!.scripts[call.script] === undefined) return undefined;
  const steps: ScriptStep[] = [];
  for (const one of called) {
    if (at.parts.left < 0) return undefined;
    if (one.scripts[call.script] === undefined && call.isOptional) continue;
    // One without the script fails, as its package manager has it.
    const command = isHere ? part : `npm run ${call.script}`;
    const own = stepsOf(one, call.script, packages, at);
    steps.push(...(own ?? [startingIn(isHere ? at.here : one.folder, { is: "command", command })]));
  }
  // The package manager knows which build comes first, and what is no script (`npm --prefix web ci`).
  return steps.some(({ is }) => is === "tests") ? steps : undefined;
}

function stepsOf(one: Package, script: string, packages: Packages, at: At): readonly ScriptStep[] | undefined {
  const [text, before] = [one.scripts[script], one.scripts[`pre${script}`]];
  const inner =
    text === undefined ? undefined : parsePart(text, packages, { ...at, here: one.folder, depth: at.depth + 1 });
  if (inner === undefined || before === undefined) return inner;
  return [startingIn(one.folder, commandOf(before, true)), ...inner];
}

/** Programs that only start another, or measure coverage, which we do ourselves. */
const wrappers =
  /^(?:npx(?:\s+--(?:no-install|yes))?|pnpm(?:\s+exec)?|yarn(?:\s+(?:exec|run))?|bunx|cross-env|c8|nyc)\s+/;

const runners: readonly { readonly runner: RunnerName; readonly begins: RegExp }[] = [
  { runner: "vitest", begins: /^(?:\.\/node_modules\/\.bin\/)?vitest(?:\s+run)?(?=\s|$)/ },
  {
    runner: "jest",
    begins: /^(?:\.\/node_modules\/\.bin\/|node\s+(?:\S+\s+)?node_modules\/(?:\.bin\/)?)?jest(?=\s|$)/,
  },
  { runner: "pytest", begins: /^(?:pytest|py\.test|python3?\s+-m\s+pytest)(?=\s|$)/ },
  { runner: "unittest", begins: /^python3?\s+-m\s+unittest(?=\s|$)/ },
  { runner: "go test", begins: /^go\s+test(?=\s|$)/ },
  { runner: "cargo test", begins: /^cargo\s+test(?=\s|$)/ },
];

/** Variables that choose other programs, or leave tests out. */
const isHook = /^(?:PATH|LD_\w+|ENV|BASH_ENV|GOENV)=|^GOFLAGS=.*-(?:skip|exec|toolexec|overlay|list|c|n)\b/;

function parseStep(part: string): ScriptStep | undefined {
  let rest = part;
  const variables: string[] = [];
  for (;;) {
    const variable = /^([A-Za-z_]\w*=(?:[\w./:,@-]*|'[^']*'|"[^"$`\\]*"))\s+/.exec(rest);
    const wrapper = variable === null ? wrappers.exec(rest) : null;
    if (variable !== null && !isHook.test(variable[1]!)) variables.push(variable[1]!);
    const length = (variable ?? wrapper)?.[0].length;
    if (length === undefined) break;
    rest = rest.slice(length);
  }
  if (/^node\s/.test(rest)) {
    const words = splitWords(rest.slice(4));
    if (!words?.includes("--test")) return undefined;
    return { is: "tests", runner: "node:test", words: words.filter((word) => word !== "--test"), variables };
  }
  for (const { runner, begins } of runners) {
    const found = begins.exec(rest);
    const words = found === null ? undefined : splitWords(rest.slice(found[0].length));
    if (words !== undefined) return { is: "tests", runner, words, variables };
  }
  return undefined;
}

/** Arguments without certain options. A `name=` is an option with a value, in the same word or the next. */
export function withoutOptions(words: readonly string[], options: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at += 1) {
    const [name = "", value] = words[at]!.split("=", 2);
    if (options.includes(name)) continue;
    if (!options.includes(`${name}=`)) kept.push(words[at]!);
    else if (value === undefined) at += 1;
  }
  return kept;
}

/** The arguments that name files; `valued` are the options whose value is the next word. */
export function positionals(words: readonly string[], valued: readonly string[]): readonly string[] {
  return words.filter((word, at) => !word.startsWith("-") && !valued.includes(words[at - 1] ?? ""));
}

/** A text as one word of a shell. */
export function quoteWord(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
