import type { AcceptanceLine, CommandCheck } from "@slipway/spec";

/** An acceptance line that runs the program, parsed. */
export interface Invocation {
  readonly pointer: string;
  readonly check: CommandCheck;
  /** How the program is called: `./bin/tally`, or `node src/tally.js`. */
  readonly program: string;
  /** The file that is run; undefined if it is looked up on the PATH. */
  readonly file?: string;
  readonly words: readonly string[];
}

/** The run of a line that starts the project's own program, not a tool such as npm. */
export function readInvocation({ pointer, check }: AcceptanceLine): Invocation | undefined {
  if (check.kind !== "command") return undefined;
  const words = splitWords(check.command);
  if (words === undefined || words.length === 0) return undefined;
  const [first, second, ...rest] = words as [string, string?, ...string[]];
  if (first.startsWith("python") && second === "-m") {
    const [module, ...given] = rest;
    if (module === undefined || !/^[A-Za-z]\w*$/.test(module) || pythonTools.has(module)) return undefined;
    return { pointer, check, program: `${first} -m ${module}`, file: `${module}/__main__.py`, words: given };
  }
  if (interpreters.has(first)) {
    if (second === undefined || !isOwnFile(second) || !/\.(?:m?js|py)$/.test(second)) return undefined;
    return { pointer, check, program: `${first} ${second}`, file: plain(second), words: rest };
  }
  const own = second === undefined ? [] : [second, ...rest];
  if (!first.includes("/")) return tools.has(first) ? undefined : { pointer, check, program: first, words: own };
  return isOwnFile(first) ? { pointer, check, program: first, file: plain(first), words: own } : undefined;
}

const interpreters = new Set(["node", "python", "python3"]);
const pythonTools = new Set(["unittest", "pytest", "compileall", "pip", "venv", "trace", "json", "http"]);
const tools = new Set(
  "npm npx yarn pnpm sh bash test cat echo grep ls curl make git docker tsc jq env true false pip pytest".split(" "),
);

/** The words of a shell command line; undefined if it uses pipes, variables and the like. */
function splitWords(command: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = command.trim();
  while (rest !== "") {
    let word = "";
    for (let part = piece.exec(rest); part !== null; part = piece.exec(rest)) {
      const [whole, single, double, escaped, bare] = part;
      word += single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped ?? bare ?? "";
      rest = rest.slice(whole.length);
    }
    if (rest !== "" && !/^\s/.test(rest)) return undefined;
    words.push(word);
    rest = rest.trimStart();
  }
  return words;
}

const piece = /^(?:'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|([^\s'"\\$`|&;<>()*?[\]#~{}!]+))/s;

function isOwnFile(path: string): boolean {
  return /^(?:\.\/)?[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/.test(path);
}

function plain(path: string): string {
  return path.replace(/^\.\//, "");
}
