import { staticFiles } from "../../kit/static-files.ts";

/** A function that can be built: its source, its types, and cases that are known to hold. */
export interface Entry {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly default?: string; readonly type: string }[];
  readonly generics: string;
  readonly returns: string;
  readonly isAsync: boolean;
  /** The function's body, and the rest of its module. */
  readonly body: string;
  readonly below: string;
  readonly cases: readonly Case[];
  /** What TypeScript writes otherwise inside, and how. */
  readonly typed: readonly (readonly [plain: string, typed: string])[];
}

/** A call with its result, or with the name of the error that it throws; all as source. */
export interface Case {
  readonly call: string;
  readonly gives?: string;
  readonly throws?: string;
}

/**
 * The functions in the folder `files/functions`, by name. A name that means different things to different people has a file for
 * each meaning, the usual one first.
 */
export function catalogue(): ReadonlyMap<string, readonly Entry[]> {
  entriesByName ??= Map.groupBy(
    [...files].toSorted(([a], [b]) => a.length - b.length || (a < b ? -1 : 1)).map(([, text]) => readEntry(text)),
    ({ name }) => name,
  );
  return entriesByName;
}

const files = staticFiles(new URL("./files/functions/", import.meta.url));
let entriesByName: ReadonlyMap<string, readonly Entry[]> | undefined;

/** `//@` is the type, `//:` a case, `//=` what TypeScript writes otherwise; the rest is the source. */
function readEntry(text: string): Entry {
  const lines = text.trimEnd().split("\n");
  const source = lines.filter((line) => !/^\/\/[@:=]/.test(line)).join("\n");
  const found = /^export (async )?function (\w+)\((.*)\) \{\n([\s\S]*?)\n\}\n?([\s\S]*)$/.exec(source);
  const type = /^\/\/@ (<.*?>)?\((.*)\): (.+)$/.exec(lines[0]!);
  if (found === null || type === null) throw new Error(`No function can be read from: ${text}`);
  const types = splitTypes(type[2]!);
  const parameters = found[3]!.split(", ").map((parameter, index) => {
    const [name, fallback] = parameter.split(" = ") as [string, string?];
    return { name, type: types[index]!, ...(fallback !== undefined && { default: fallback }) };
  });
  return {
    name: found[2]!,
    parameters,
    generics: type[1] ?? "",
    returns: type[3]!,
    isAsync: found[1] !== undefined || type[3]!.startsWith("Promise"),
    body: found[4]!,
    below: found[5]!.trim(),
    cases: lines.filter((line) => line.startsWith("//: ")).map((line) => readCase(line.slice(4))),
    typed: lines
      .filter((line) => line.startsWith("//= "))
      .map((line) => line.slice(4).split(" ==> ") as [string, string]),
  };
}

function readCase(line: string): Case {
  const thrown = /^(.*) !! (\w+)$/.exec(line);
  if (thrown !== null) return { call: thrown[1]!, throws: thrown[2]! };
  const arrow = line.lastIndexOf(" => ");
  return { call: line.slice(0, arrow), gives: line.slice(arrow + 4) };
}

/** The types of `name: type, other?: type`; commas inside brackets do not end one. */
function splitTypes(parameters: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of parameters) {
    if ("<([{".includes(character)) depth += 1;
    if (">)]}".includes(character)) depth -= 1;
    if (character === "," && depth <= 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim().replace(/^\w+\??: /, ""));
}
