import type { Unmet } from "../../plugin.ts";

/** What a command does, as `does` in a document names it. */
export const kinds = ["create", "list", "get", "update", "delete", "sum", "count", "completion", "print"] as const;
/** `unbuilt`: the builder does not know how; the command says so and fails. */
export type Kind = (typeof kinds)[number] | "unbuilt";

/** A value on the command line or in a record. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly summary?: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly multiple?: boolean;
  readonly min?: number;
  readonly max?: number;
  readonly decimals?: number;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly values?: readonly (string | number)[];
  readonly default?: unknown;
  readonly short?: string;
}

export interface Command {
  readonly name: string;
  /** Base name of its files, without an extension. */
  readonly file: string;
  readonly order: number;
  readonly summary: string;
  readonly example?: string;
  readonly does: Kind;
  readonly arguments: readonly Field[];
  readonly options: readonly Field[];
  /** What the command prints, with `{name}` for values. */
  readonly prints: string;
  readonly columns: readonly string[];
  /** The field to sum. */
  readonly sums: string;
  readonly groupBy?: Field;
  readonly sort: string;
  /** Values that an update always sets. */
  readonly sets: Readonly<Record<string, unknown>>;
}

/** A whole command-line program. */
export interface Program {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly exitCodes: { readonly ok: number; readonly failed: number; readonly usage: number; readonly bare: number };
  readonly dataFile: { readonly fallback: string; readonly variable: string; readonly option: string };
  readonly configVariable: string;
  readonly record?: { readonly name: string; readonly fields: readonly Field[] };
  readonly globalOptions: readonly Field[];
  readonly commands: readonly Command[];
  /** The command that runs if none is named. */
  readonly defaultCommand?: string;
}

export interface ReadProgram {
  readonly program: Program;
  readonly unmet: readonly Unmet[];
}
