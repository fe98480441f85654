import type { Context, ServiceContext } from "../command.ts";
import { table } from "./table.ts";
import { toJson } from "./to-json.ts";

type Output = Pick<Context, "terminal" | "options">;

/** Prints a result: with `--json` as it is, else as text. */
export function print({ terminal, options }: Output, result: object, text: () => string): void {
  terminal.out(options.json ? toJson(result) : text());
}

interface List {
  /** What is listed, for the message that there is nothing. */
  readonly plural: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Prints a list: with `--json` as it is, else as a table. */
export function printList({ terminal, options }: Output, list: object, { plural, headings, rows }: List): void {
  if (!options.json && rows.length === 0) terminal.err(`There are no ${plural}.`);
  else print({ terminal, options }, list, () => table(headings, rows, terminal.colors).join("\n"));
}

/** Prints a page of a list, and the command that shows the next one. */
export function printPage(
  context: Pick<ServiceContext, "terminal" | "options" | "connection">,
  page: { readonly next_cursor: string | null },
  { command, ...list }: List & { readonly command: readonly string[] },
): void {
  printList(context, page, list);
  if (context.options.json || page.next_cursor === null) return;
  context.terminal.err(`More: ${context.connection.commandLine(...command, "--cursor", page.next_cursor)}`);
}
