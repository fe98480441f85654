import type { TypeKeys } from "@slipway/spec";
import { packageName } from "../../kit/node-package.ts";
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
  /** What it returns, as an expression. */
  readonly result?: string;
  readonly throws: readonly Thrown[];
  readonly examples: readonly Example[];
}

interface Thrown {
  readonly error: string;
  readonly when: string;
  readonly message?: string;
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

type Written = NonNullable<TypeKeys<"library">["api_design"]>;
type WrittenFunction = NonNullable<Written["functions"]>[number];

/** Reads the interface from `api_design`. */
export function readDesign(id: string, design: Written = {}): LibraryDesign {
  const unmet: Unmet[] = [];
  const files = new SafeNames(["index", "package", "calculate", "__init__"]);
  const names = new Set<string>();
  const functions = (design.functions ?? []).flatMap((written, index): Designed[] => {
    const pointer = `/api_design/functions/${index}`;
    const { name } = written;
    if (!isIdentifier(name) || names.has(name)) {
      unmet.push({ pointer, reason: "A function needs a name of its own that can be exported." });
      return [];
    }
    names.add(name);
    return [{ pointer, name, file: files.take(kebab(name)), ...readFunction(written, pointer, unmet) }];
  });
  if (functions.length === 0)
    unmet.push({ pointer: "/api_design", reason: "The document names no function that could be built." });
  const { package: wanted = id, version = "1.0.0" } = design;
  return { packageName: nameOf(wanted, id), version, functions, unmet };
}

function readFunction(
  written: WrittenFunction,
  pointer: string,
  unmet: Unmet[],
): Omit<Designed, "pointer" | "name" | "file"> {
  const { summary = "", parameters = [], returns = "unknown", result, throws = [], examples = [] } = written;
  return {
    summary,
    parameters: parameters.map(readParameter),
    returns: typeof returns === "string" ? returns : (returns.type ?? "unknown"),
    ...(result !== undefined && { result }),
    throws: throws.map(({ error, when, message }) => ({ error, when, ...(message !== undefined && { message }) })),
    // Copies: what is read of an example is all of it.
    examples: examples.flatMap(({ args, returns: gives, throws: error }, index): Example[] => {
      if (error !== undefined) return [{ args: copyOf(args), throws: error }];
      if (gives !== undefined) return [{ args: copyOf(args), returns: copyOf(gives) }];
      unmet.push({ pointer: `${pointer}/examples/${index}`, reason: "An example needs 'returns' or 'throws'." });
      return [];
    }),
  };
}

function copyOf<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

function readParameter(written: NonNullable<WrittenFunction["parameters"]>[number]): Parameter {
  const { name, type = "unknown", description = "", optional, default: fallback, minimum, maximum } = written;
  return {
    name,
    type,
    description,
    isOptional: optional === true || fallback !== undefined,
    ...(fallback !== undefined && { default: copyOf(fallback) }),
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

function nameOf(value: string, id: string): string {
  return /^(?:@[a-z\d-]+\/)?[a-z\d][a-z\d._-]{0,100}$/.test(value) ? value : packageName(id);
}

function kebab(name: string): string {
  return name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "-").toLowerCase();
}
