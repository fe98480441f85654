import { ConnectionError, SlipwayError, UnsendableError } from "@slipway/client";
import type { Problem } from "@slipway/contract";
import { CommandError, type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { printable, printableLines } from "../output/printable.ts";
import type { Terminal } from "../output/terminal.ts";
import { toJsonLine } from "../output/to-json.ts";

/** Turns an error of a call into the error of the command; with `--json`, also prints the problem as the API returned it. */
export function explainError({ out }: Terminal, error: unknown, { json }: { readonly json?: true }): unknown {
  if (json && error instanceof SlipwayError && error.problem) out(toJsonLine({ problem: error.problem }));
  return translate(error);
}

/** Unexpected errors stay as they are. */
function translate(error: unknown): unknown {
  if (error instanceof ConnectionError)
    return new CommandError(exitCode.cannotConnect, error.message + aboutCertificate(error.cause), { cause: error });
  if (error instanceof UnsendableError) return new UsageError(error.message);
  if (!(error instanceof SlipwayError)) return error;
  return new CommandError(codeOf(error), [printableLines(error.message), ...details(error)].join("\n"), {
    cause: error,
  });
}

/** What to do about a certificate that nobody here vouches for; empty if something else is wrong. */
function aboutCertificate(cause: unknown): string {
  const { code, cause: deeper } = (cause ?? {}) as { readonly code?: unknown; readonly cause?: unknown };
  if (deeper !== undefined && typeof code !== "string") return aboutCertificate(deeper);
  if (typeof code !== "string" || !/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(code)) return "";
  return "\n  If an authority of your own signed its certificate: set NODE_EXTRA_CA_CERTS to the authority's PEM file.";
}

function codeOf(error: SlipwayError): ExitCode {
  // Something else than Slipway answered.
  if (error.problem === undefined) return exitCode.cannotConnect;
  if (error.isNotFound) return exitCode.notFound;
  return error.isRefusal ? exitCode.refused : exitCode.cannotConnect;
}

function details({ problem, status, message: whole }: SlipwayError): string[] {
  // Of a query that is wrong, the message names the first.
  const errors = (problem?.errors ?? []).filter(({ pointer, message }) => !whole.includes(`${pointer}: ${message}`));
  const positions = errors.map(({ line, column, pointer, message }) => {
    const position = line === undefined ? pointer : `${line}:${column}`;
    return `  ${printable(position)}: ${printable(message, 1000)}`;
  });
  return [...positions, ...(remedies[status] ?? []), ...(status === 404 ? whereToLook(problem) : [])];
}

const remedies: Readonly<Record<number, readonly string[]>> = {
  401: ["  Check the token: it comes from --token, SLIPWAY_TOKEN, 'slipway login' or the data folder."],
  403: ["  'slipway whoami' shows whose token is used, and what it may do."],
};

/** The command that lists what an address of the API is about. */
function whereToLook({ instance = "", detail = "" }: Partial<Problem> = {}): string[] {
  const [, projectId] = /\/projects\/(\w+)\/rollback$/.exec(instance) ?? [];
  // Else it is the project that is not there.
  if (projectId !== undefined && /\bcheckpoint\b/.test(detail))
    return [`  'slipway projects show ${projectId}' lists its checkpoints.`];
  const [, kind = ""] = /\/v1\/(\w+)\//.exec(instance) ?? [];
  const command = {
    projects: "projects",
    agents: "agents",
    applications: "apps",
    webhooks: "webhooks",
    users: "users",
  }[kind];
  return command === undefined ? [] : [`  'slipway ${command} list' shows what there is.`];
}
