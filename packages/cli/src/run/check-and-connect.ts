import { type Connection, connect, connectIfRunning } from "../connection/connect.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";
import type { DocumentSource } from "../validate/read-documents.ts";
import { type Foreseen, foresee } from "./foresee.ts";
import type { RunOptions } from "./run-document.ts";

interface Connected {
  readonly connection: Connection;
  /** What the service says of the document, if it was asked already. */
  readonly foreseeing: Promise<Foreseen> | undefined;
}

/**
 * Checks the document, and connects to the service only if it is valid; the exit code if it is not. A service that runs
 * plans the document meanwhile.
 */
export async function checkAndConnect(
  terminal: Terminal,
  source: DocumentSource,
  options: RunOptions,
  signal: AbortSignal,
): Promise<Connected | { readonly code: ExitCode }> {
  const unneeded = new AbortController();
  const early = await foreseeEarly(terminal, source, options, AbortSignal.any([signal, unneeded.signal]));
  const { checkOneDocument } = await import("../validate/check-one-document.ts");
  const checked = checkOneDocument(terminal, source, options);
  if ("code" in checked) {
    unneeded.abort();
    return checked;
  }
  if (early !== undefined) return early;
  const onStarting = (folder: string) => terminal.live(`looking for the service on ${folder}`);
  const connection = await connect(options, { env: terminal.env, signal, mayCreate: true, onStarting });
  return { connection, foreseeing: undefined };
}

async function foreseeEarly(
  { env }: Terminal,
  { bytes }: DocumentSource,
  options: RunOptions,
  signal: AbortSignal,
): Promise<Connected | undefined> {
  // The service plans with the files that are uploaded first.
  if (options.source !== undefined) return undefined;
  const connection = await connectIfRunning(options, env);
  if (connection === undefined) return undefined;
  const foreseeing = foresee(connection, { document: new Uint8Array(bytes), options, signal });
  // Whoever awaits it later is told.
  foreseeing.catch(() => undefined);
  return { connection, foreseeing };
}
