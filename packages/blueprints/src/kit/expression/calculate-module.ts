import { staticFiles } from "../static-files.ts";

/** The functions that expressions call, in one language: a module with those that are needed, and cases that hold. */
export interface CalculateModule {
  readonly source: string;
  /** Names that the module has. */
  readonly names: readonly string[];
  readonly cases: readonly CalculationCase[];
}

/** A call with what it gives, or with the name of the error; all as source. */
interface CalculationCase {
  readonly call: string;
  readonly gives?: string;
  readonly throws?: string;
}

const files = staticFiles(new URL("./files/", import.meta.url));

/** Of `calculate.js`, these functions and what they need. */
export function calculateInNode(helpers: Iterable<string>): CalculateModule {
  return choose(
    parts("calculate.js", "\n\n", /^export (?:function|const|class) (\w+)|^(?:function|const) (\w+)/m, "//: "),
    helpers,
  );
}

/** Of `calculate.py`, these functions, by their names in Python. */
export function calculateInPython(helpers: Iterable<string>): CalculateModule {
  const [head, ...rest] = parts("calculate.py", "\n\n\n", /^(?:def|class) (\w+)/m, "#: ");
  const module = choose(rest, helpers);
  const imports = head!.source.split("\n").filter((line) => line.includes("import"));
  const used = imports.flatMap((line) => usedImports(line, module.source));
  const source = [
    '"""What expressions are made of."""',
    ...(used.length > 0 ? ["", ...used] : []),
    "",
    "",
    module.source,
  ];
  return { ...module, source: source.join("\n") };
}

interface Part {
  readonly name: string;
  readonly source: string;
  readonly cases: readonly CalculationCase[];
  readonly words: ReadonlySet<string>;
}

const known = new Map<string, readonly Part[]>();

/** The parts of a file, read once: what stands between blank lines, with the cases under it. */
function parts(file: string, between: string, naming: RegExp, mark: string): readonly Part[] {
  const read = known.get(file);
  if (read !== undefined) return read;
  // A blank line inside a function is indented further on, so a part begins at the margin.
  const texts = files
    .get(file)!
    .trimEnd()
    .split(new RegExp(`${between}(?=\\S)`));
  const found = texts.map((text): Part => {
    const lines = text.split("\n");
    const source = lines.filter((line) => !line.startsWith(mark)).join("\n");
    const [, exported, own] = naming.exec(source) ?? [];
    return {
      name: exported ?? own ?? "",
      source,
      cases: lines.filter((line) => line.startsWith(mark)).map((line) => readCase(line.slice(mark.length))),
      words: wordsOf(source),
    };
  });
  known.set(file, found);
  return found;
}

/** The names that a part may use: not those of methods, nor what comments say. */
function wordsOf(source: string): ReadonlySet<string> {
  const code = source
    .split("\n")
    .filter((line) => !line.startsWith("/**") && !line.includes('"""'))
    .join("\n");
  return new Set(code.match(/(?<!(?<!\.)\.)\b\w+/g));
}

function readCase(line: string): CalculationCase {
  const [, call, error] = /^(.*) !! (\w+)$/.exec(line) ?? [];
  if (call !== undefined) return { call, throws: error! };
  const arrow = line.lastIndexOf(" => ");
  return { call: line.slice(0, arrow), gives: line.slice(arrow + 4) };
}

function choose(all: readonly Part[], helpers: Iterable<string>): CalculateModule {
  const byName = new Map(all.map((part) => [part.name, part]));
  const needed = new Set<Part>();
  const need = (name: string) => {
    const part = byName.get(name);
    if (part === undefined || needed.has(part)) return;
    needed.add(part);
    for (const word of part.words) need(word);
  };
  for (const name of ["CalculationError", "UnknownName", ...helpers]) need(name);
  const chosen = all.filter((part) => needed.has(part));
  const names = chosen.map(({ name }) => name);
  // A case may call another function, which is then not there.
  const isWhole = ({ call }: CalculationCase) => (call.match(/\w+(?=\()/g) ?? []).every((name) => names.includes(name));
  return {
    source: chosen.map(({ source }) => source).join(all[0]!.source.includes("export") ? "\n\n" : "\n\n\n"),
    names,
    cases: chosen.flatMap(({ cases }) => cases.filter(isWhole)),
  };
}

/** An import line with those of its names that the source uses. */
function usedImports(line: string, source: string): readonly string[] {
  const isUsed = (name: string) => new RegExp(`\\b${name}\\b`).test(source);
  const [, from, names] = /^from (\w+) import (.+)$/.exec(line) ?? [];
  if (from === undefined) return isUsed(line.replace("import ", "")) ? [line] : [];
  const left = names!.split(", ").filter(isUsed);
  return left.length === 0 ? [] : [`from ${from} import ${left.join(", ")}`];
}
