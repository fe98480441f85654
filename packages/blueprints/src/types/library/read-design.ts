import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { packageName } from "../../kit/node-package.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { type Fields, fieldsOf, listOf, textOf } from "../../kit/read-value.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";
import { isIdentifier } from "./identifier.ts";

/** What the document says about one function. */
export interface Designed {
  readonly pointer: string;
  readonly name: string;
  /** Base name of its files, without an extension. */
  readonly file: string;
  readonly summary: string;
  readonly parameters: readonly Parameter[];
  readonly returns: string;
  readonly throws: readonly { readonly error: string; readonly when: string }[];
  readonly examples: readonly Example[];
}

export interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isOptional: boolean;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Example {
  readonly args: readonly unknown[];
  readonly returns?: unknown;
  readonly throws?: string;
}

export interface LibraryDesign {
  readonly packageName: string;
  readonly version: string;
  readonly functions: readonly Designed[];
  readonly unmet: readonly Unmet[];
}

const knownKeys = new Set(["package", "name", "version", "functions", "description"]);

/** Reads the interface from `api_design`, else from the functions that acceptance lines import. */
export function readDesign(document: CompleteSpec): LibraryDesign {
  const design = fieldsOf((document as Fields)["api_design"]);
  const unmet: Unmet[] = Object.keys(design)
    .filter((key) => !knownKeys.has(key))
    .map((key) => ({ pointer: `/api_design/${pointerPart(key)}`, reason: "Only functions are built." }));
  const imported = importsIn(document);
  const files = new SafeNames(["index", "not-built", "package"]);
  const names = new Set<string>();
  const wanted = "functions" in design ? listOf(design["functions"]) : imported.names.map((name) => ({ name }));
  const functions = wanted.flatMap((value, index): Designed[] => {
    const pointer = `/api_design/functions/${index}`;
    const rules = typeof value === "string" ? { name: value } : fieldsOf(value);
    const name = textOf(rules["name"], "");
    if (!isIdentifier(name) || names.has(name)) {
      unmet.push({ pointer, reason: "A function needs a name of its own that JavaScript can export." });
      return [];
    }
    names.add(name);
    return [{ pointer, name, file: files.take(kebab(name)), ...readFunction(rules) }];
  });
  if (functions.length === 0)
    unmet.push({ pointer: "/api_design", reason: "The document names no function that could be built." });
  return {
    packageName: nameOf(design["package"] ?? design["name"] ?? imported.from, document.id),
    version: textOf(design["version"], "1.0.0"),
    functions,
    unmet,
  };
}

function readFunction(rules: Fields): Omit<Designed, "pointer" | "name" | "file"> {
  const returns = rules["returns"];
  return {
    summary: textOf(rules["summary"], textOf(rules["description"], "")),
    parameters: listOf(rules["parameters"]).map((value, index) => readParameter(value, index)),
    returns: typeof returns === "string" ? returns : textOf(fieldsOf(returns)["type"], "unknown"),
    throws: listOf(rules["throws"]).map((value) => {
      const { error, when } = fieldsOf(value);
      return { error: textOf(error, textOf(value, "Error")), when: textOf(when, "") };
    }),
    examples: listOf(rules["examples"]).flatMap((value) => readExample(fieldsOf(value))),
  };
}

function readParameter(value: unknown, index: number): Parameter {
  const rules = typeof value === "string" ? { name: value } : fieldsOf(value);
  const { minimum = rules["min"], maximum = rules["max"] } = rules;
  return {
    name: textOf(rules["name"], `value${index + 1}`),
    type: textOf(rules["type"], "unknown"),
    description: textOf(rules["description"], ""),
    isOptional: rules["optional"] === true || rules["required"] === false || "default" in rules,
    ...("default" in rules && { default: rules["default"] }),
    ...(typeof minimum === "number" && Number.isFinite(minimum) && { minimum }),
    ...(typeof maximum === "number" && Number.isFinite(maximum) && { maximum }),
  };
}

function readExample(rules: Fields): Example[] {
  if (!Array.isArray(rules["args"])) return [];
  if (typeof rules["throws"] === "string") return [{ args: rules["args"], throws: rules["throws"] }];
  return "returns" in rules ? [{ args: rules["args"], returns: rules["returns"] }] : [];
}

/** Finds `import { a, b } from "name"` in the commands of the acceptance. */
function importsIn(document: CompleteSpec): { readonly names: readonly string[]; readonly from?: string } {
  const commands = acceptanceLines(document).flatMap(({ check }) => (check.kind === "command" ? [check.command] : []));
  const found = commands.flatMap((command) => [
    ...command.matchAll(/import \{([^{}]*)\} from ["']([^"'.][^"']*)["']/g),
  ]);
  const names = found.flatMap(([, list]) => list!.split(",").map((name) => name.trim().replace(/ as .*$/, "")));
  return { names: [...new Set(names.filter(isIdentifier))], ...(found[0] && { from: found[0][2]! }) };
}

function nameOf(value: unknown, id: string): string {
  const isName = typeof value === "string" && /^(?:@[a-z\d-]+\/)?[a-z\d][a-z\d._-]{0,100}$/.test(value);
  return isName ? value : packageName(id);
}

function kebab(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "-").toLowerCase();
}
