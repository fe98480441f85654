import { ConnectionError, SlipwayError, UnsendableError } from "@slipway/client";
import { CommandError, type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { printable, printableLines } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";

/** What a call to the service ended with, as the command tells it; for machines its problem is data, as the API shows it. */
export function explainError({ out }: Terminal, error: unknown, { json }: { readonly json?: true }): unknown {
  if (json && error instanceof SlipwayError && error.problem) out(JSON.stringify({ problem: error.problem }));
  return explain(error);
}

/** What nobody expected stays as it is. */
function explain(error: unknown): unknown {
  if (error instanceof ConnectionError)
    return new CommandError(exitCode.cannotConnect, error.message, { cause: error });
  if (error instanceof UnsendableError) return new UsageError(error.message);
  if (!(error instanceof SlipwayError)) return error;
  return new CommandError(codeOf(error), [printableLines(error.message), ...details(error)].join("\n"), {
    cause: error,
  });
}

function codeOf(error: SlipwayError): ExitCode {
  // Whoever answered, it was no service of ours.
  if (error.problem === undefined) return exitCode.cannotConnect;
  if (error.isNotFound) return exitCode.notFound;
  return error.isRefusal ? exitCode.refused : exitCode.cannotConnect;
}

function details({ problem, isDenied }: SlipwayError): string[] {
  const places = (problem?.errors ?? []).map(({ line, column, pointer, message }) => {
    const place = line === undefined ? pointer : `${line}:${column}`;
    return `  ${printable(place)}: ${printable(message, 1000)}`;
  });
  const remedy = isDenied
    ? ["  Is this the right token? It comes from --token, SLIPWAY_TOKEN or the data folder."]
    : [];
  return [...places, ...remedy];
}
