import type { RunnerName } from "./test-case.ts";

/** A part of a test script: a run of tests that we do ourselves, or a command that comes before or after. */
export type ScriptStep =
  | { readonly is: "command"; readonly command: string }
  | {
      readonly is: "tests";
      readonly runner: RunnerName;
      /** The arguments after the runner's name, as a shell reads them. */
      readonly words: readonly string[];
      /** Variables that stand before it. */
      readonly variables: readonly string[];
    };

/** Scripts call each other, perhaps in a circle. */
const maxDepth = 5;
/** Each may name the next a hundred times. */
const maxParts = 500;
/** Nobody writes longer ones. */
const maxScriptLength = 4_096;

/**
 * Reads a test script as a list of steps; undefined if no step of it is a runner that we know. `scripts` are those of
 * package.json: `npm test` means what stands there.
 */
export function parseTestScript(
  script: string,
  scripts: Readonly<Record<string, string>>,
): readonly ScriptStep[] | undefined {
  return parsePart(script, scripts, 0, { left: maxParts });
}

function parsePart(
  script: string,
  scripts: Readonly<Record<string, string>>,
  depth: number,
  parts: { left: number },
): readonly ScriptStep[] | undefined {
  if (depth > maxDepth || script.length > maxScriptLength) return undefined;
  const steps: ScriptStep[] = [];
  for (const part of script.split("&&").map((one) => one.trim())) {
    parts.left -= 1;
    if (parts.left < 0) return undefined;
    const name = /^(?:npm|pnpm|yarn|bun)(?:\s+(?:-s|--silent))?\s+(?:run(?:-script)?\s+)?([\w:.-]+)$/.exec(part)?.[1];
    const called = name === undefined ? undefined : scripts[npmNames[name] ?? name];
    if (called !== undefined) {
      const before = scripts[`pre${npmNames[name!] ?? name}`];
      const inner = parsePart(called, scripts, depth + 1, parts);
      if (inner !== undefined && before !== undefined) steps.push({ is: "command", command: before });
      steps.push(...(inner ?? [{ is: "command" as const, command: part }]));
    } else steps.push(parseStep(part) ?? { is: "command", command: part });
  }
  return steps.some(({ is }) => is === "tests") ? steps : undefined;
}

const npmNames: Readonly<Record<string, string>> = { t: "test", tst: "test" };

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
    const words = wordsOf(rest.slice(4));
    if (!words?.includes("--test")) return undefined;
    return { is: "tests", runner: "node:test", words: words.filter((word) => word !== "--test"), variables };
  }
  for (const { runner, begins } of runners) {
    const found = begins.exec(rest);
    const words = found === null ? undefined : wordsOf(rest.slice(found[0].length));
    if (words !== undefined) return { is: "tests", runner, words, variables };
  }
  return undefined;
}

/** Splits arguments, and leaves their quotes; undefined if a shell would do more with them than split them. */
function wordsOf(text: string): readonly string[] | undefined {
  // The one substitution that built-in outcome types write.
  const found = text.match(/\$\(find [\w\s./*'"-]+\)|(?:'[^']*'|"[^"$`\\]*"|[^\s'"`$;|&<>()\\])+|\S/g) ?? [];
  return found.every((word) => word.startsWith("$(find ") || /^(?:'[^']*'|"[^"]*"|[^\s'"`$;|&<>()\\])+$/.test(word))
    ? found
    : undefined;
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
