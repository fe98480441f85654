import type { Client } from "@slipway/client";
import type { Connection, ConnectionOptions } from "./connection/connect.ts";
import type { Interruption } from "./connection/interruption.ts";
import type { ExitCode } from "./exit-code.ts";
import type { Terminal } from "./output/terminal.ts";

/** A command as data. `run` imports what it needs when it is called, so that every other command starts quickly. */
export type Command = LocalCommand | ServiceCommand;

/** Commands that share a name, such as `slipway agents list`. */
export interface CommandGroup extends Help {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly Command[];
}

export interface LocalCommand extends Declaration {
  readonly needs?: undefined;
  /** Everything after the name, `--help` included, goes to `run` unparsed; there are no options, and no `--json`. */
  readonly isPassThrough?: true;
  run(context: Context): Promise<ExitCode>;
}

export interface ServiceCommand extends Declaration {
  /** What an embedded service does if it is started for this command: only answer requests, or also run projects. */
  readonly needs: "api" | "worker";
  /** It may be the first command on a machine: a service is started where none has ever run. */
  readonly mayCreate?: true;
  /** Throws a `UsageError` before the command connects. */
  check?(context: Context): void;
  run(context: ServiceContext): Promise<ExitCode>;
}

interface Declaration extends Help {
  readonly name: string;
  /** Earlier names, which still work but are not shown. */
  readonly aliases?: readonly string[];
  readonly description: string;
  readonly arguments?: readonly Argument[];
  readonly options?: readonly Option[];
  /** What `--json` prints. */
  readonly json?: string;
}

/** What `--help` shows below the options. */
interface Help {
  readonly notes?: string;
  readonly exitCodes?: Readonly<Partial<Record<ExitCode, string>>>;
  readonly examples?: readonly string[];
}

export interface Argument {
  /** `<file>` is required, `[file]` is optional, `<file...>` takes several. */
  readonly name: string;
  readonly description: string;
  /** A flag that scripts can use instead. */
  readonly flag?: string;
  /** The error if neither the argument nor its flag is given; without it, both may be absent. */
  readonly missing?: string;
}

export interface Option {
  readonly flags: string;
  readonly description: string;
  readonly isRequired?: true;
  readonly isRepeatable?: true;
  readonly choices?: readonly string[];
}

/** The options of every list that has pages. */
export function pageOptions(plural: string): readonly Option[] {
  return [
    { flags: "--limit <number>", description: `the maximum number of ${plural}, up to 100 (default: 25)` },
    { flags: "--cursor <cursor>", description: "continue after the previous page" },
  ];
}

/** What every command receives. */
export interface Context {
  readonly terminal: Terminal;
  /** The arguments in order; undefined for an absent one. */
  readonly args: readonly (string | undefined)[];
  readonly options: Options;
}

/** What a command that calls the service receives. */
export interface ServiceContext extends Context {
  readonly connection: Connection;
  readonly client: Client;
  readonly interruption: Interruption;
  readonly signal: AbortSignal;
}

/** The options of the command line, by their long names in camel case. */
export type Options = ConnectionOptions & { readonly json?: true } & Readonly<
    Record<string, string | true | readonly string[] | undefined>
  >;

/** The text of an option; undefined if it is absent. */
export function textOf(options: Options, name: string): string | undefined {
  const value = options[name];
  return typeof value === "string" ? value : undefined;
}

/** The words of an option that is a comma-separated list; undefined if it is absent. */
export function listOf(options: Options, name: string): string[] | undefined {
  return textOf(options, name)
    ?.split(",")
    .map((word) => word.trim())
    .filter(Boolean);
}

/**
 * Options as the query of a call, by the query's names. Unchecked (`never` fits any type): the service knows which values
 * are valid, and refuses the others with its own message.
 */
export function queryOf(options: Options, names: Readonly<Record<string, string>>): Readonly<Record<string, never>> {
  const entries = Object.entries(names).map(([name, option]) => [name, textOf(options, option)]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Record<string, never>;
}

/** The names of `queryOf` for a page of a list. */
export const pageNames = { limit: "limit", cursor: "cursor" } as const;

/** The options that choose the service a command calls. */
export const connectionOptions: readonly Option[] = [
  { flags: "--url <address>", description: "the service's address (default: SLIPWAY_URL, or the local service)" },
  { flags: "--token <token>", description: "the token (default: SLIPWAY_TOKEN, or the one in the data folder)" },
  { flags: "--context <name>", description: "a service that you have logged in to (default: SLIPWAY_CONTEXT)" },
  { flags: "--data <folder>", description: "the local service's data folder (default: SLIPWAY_DATA, or .slipway)" },
];

/** The exit codes of every command that calls the service. */
export const serviceExitCodes: CommandGroup["exitCodes"] = {
  3: "the service refused the request",
  5: "cannot connect to the service",
  130: "interrupted",
};
