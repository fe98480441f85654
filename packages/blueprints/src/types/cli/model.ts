import type { Expression } from "../../kit/expression/check-expression.ts";
import type { Unmet } from "../../plugin.ts";

/** What a command does. */
export type Kind =
  | "create"
  | "list"
  | "get"
  | "update"
  | "delete"
  | "sum"
  | "count"
  | "import"
  | "compute"
  | "print"
  | "rows"
  | "completion";

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
  readonly default?: string | number | boolean;
  readonly short?: string;
  readonly stdin?: "text" | "lines";
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
  readonly format?: string;
  readonly columns: readonly string[];
  /** The field to sum. */
  readonly sums: string;
  readonly groupBy?: Field;
  readonly sort: string;
  /** The option that chooses another order. */
  readonly sortBy?: Field;
  /** Values that an update always sets. */
  readonly sets: Readonly<Record<string, string | number | boolean>>;
  readonly filters: readonly Filter[];
  readonly computation?: Computation;
  /** The table whose rows are shown. */
  readonly table?: string;
}

/** Which records are left: always, or if an option is given. */
export interface Filter {
  readonly option?: string;
  readonly when: Expression;
}

/** What a command works out. */
export interface Computation {
  readonly results: readonly { readonly name: string; readonly value: Expression }[];
  readonly decimals?: Expression;
  readonly forEach?: { readonly name: string; readonly table: string; readonly where?: Expression };
  readonly errors: readonly { readonly when: Expression; readonly message: string; readonly isUsage: boolean }[];
}

/** Tables of the document, by name. */
export type Tables = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** A whole command-line program. */
export interface Program {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The files that start it. */
  readonly entries: readonly string[];
  readonly exitCodes: {
    readonly ok: number;
    readonly failed: number;
    readonly usage: number;
    /** How it ends if it is called with nothing, after its help; absent if its default command runs then. */
    readonly bare?: number;
  };
  readonly dataFile: { readonly fallback: string; readonly variable: string; readonly option: string };
  readonly configVariable: string;
  readonly record?: { readonly name: string; readonly fields: readonly Field[] };
  readonly tables: Tables;
  readonly globalOptions: readonly Field[];
  readonly commands: readonly Command[];
  /** The command that runs if none is named. */
  readonly defaultCommand?: string;
}

export interface ReadProgram {
  readonly program: Program;
  readonly unmet: readonly Unmet[];
}
