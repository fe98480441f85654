import { randomBytes } from "node:crypto";
import { type CompleteSpec, readinessOf } from "@slipway/spec";
import type { OutputLog } from "../../platform/log/index.ts";
import { documentLimits, type Sandbox, startServer } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";

interface ToStart {
  readonly document: CompleteSpec;
  /** How it is started, as a person would type it. */
  readonly command: string;
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly secrets: Readonly<Record<string, string>>;
  readonly openLog: (source: string) => OutputLog;
}

/** The project's software, started to be probed. */
export interface Software {
  readonly url: string;
  /** The token that requests with `auth_required` are sent with; it was made for this start alone. */
  readonly token: string;
  readonly readyMs: number;
  /** Ends it with all processes it started. */
  stop(): Promise<{ readonly peakMemoryBytes: number }>;
}

/** Starts the software on a free port and waits until it is ready; or says why it is not. */
export async function startSoftware(
  sandbox: Pick<Sandbox, "startCommand">,
  { document, command, folder, signal, secrets, openLog }: ToStart,
): Promise<Software | { readonly failure: string }> {
  const variable = tokenVariable(document);
  const env: Record<string, string> = { [variable]: randomBytes(24).toString("base64url"), ...secrets };
  const token = env[variable] ?? "";
  const log = openLog("app");
  log.write(`$ ${command}\n`);
  const { path, status, withinSeconds, maxErrors } = readinessOf(document);
  try {
    const started = await startServer(sandbox, {
      ...{ name: "scripts.start", command, folder, env, signal, maxErrors, onOutput: log.write },
      masker: new Masker([...Object.values(secrets), token]),
      limits: documentLimits(document),
      readiness: { path, ...(status !== undefined && { status }) },
      readyWithinMs: withinSeconds * 1000,
    });
    if ("failure" in started) {
      log.end();
      return { failure: `${started.failure}${lastLine(started.output)}` };
    }
    const { url, readyMs, running } = started;
    const stop = async () => {
      running.kill();
      await running.ended;
      log.end();
      return { peakMemoryBytes: running.peakMemoryBytes };
    };
    return { url, token, readyMs, stop };
  } catch (error) {
    log.end();
    throw error;
  }
}

function lastLine(output: string): string {
  const last = output.trim().split("\n").at(-1)?.trim().slice(0, 300) ?? "";
  return last === "" ? "" : ` Last output: ${last}`;
}

/** The variable by which the software gets the token that it must ask for: `auth.token_variable`. */
function tokenVariable(document: CompleteSpec): string {
  const { auth } = document as { auth?: { token_variable?: unknown } };
  const name = typeof auth === "object" && auth !== null ? auth.token_variable : undefined;
  return typeof name === "string" && /^[A-Za-z_]\w*$/.test(name) ? name : "API_TOKEN";
}
