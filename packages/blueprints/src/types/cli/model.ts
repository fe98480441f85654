import type { Unmet } from "../../plugin.ts";

/** What a command does; the names are those of `does` in a document. */
export const kinds = ["create", "list", "get", "update", "delete", "sum", "count", "completion", "print"] as const;
/** `unbuilt`: nobody knows how; the command is there, says so and fails. */
export type Kind = (typeof kinds)[number] | "unbuilt";

/** A value that is given on the command line or kept in a record. */
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
  /** Name of its files, without an ending. */
  readonly file: string;
  readonly order: number;
  readonly summary: string;
  readonly example?: string;
  readonly does: Kind;
  readonly arguments: readonly Field[];
  readonly options: readonly Field[];
  /** What is printed when it is done, with `{name}` for values. */
  readonly prints: string;
  readonly columns: readonly string[];
  /** The field that is added up. */
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
  /** The command that is meant where none is named. */
  readonly defaultCommand?: string;
}

export interface ReadProgram {
  readonly program: Program;
  readonly unmet: readonly Unmet[];
}
