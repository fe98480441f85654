import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type CompleteSpec, type Readiness, readinessOf } from "@slipway/spec";
import { causeLine } from "../../platform/cause-line.ts";
import type { OutputLog } from "../../platform/log/index.ts";
import {
  documentLimits,
  freePort,
  type RunAccount,
  type Sandbox,
  startServer,
  takenPort,
  whyServerEnded,
} from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";

interface ToStart {
  readonly document: CompleteSpec;
  /** How it is started, as a person would type it. */
  readonly command: string;
  readonly folder: string;
  /** The part of the project that it is, from the folder on; left out: all of it. */
  readonly startsIn?: string;
  readonly signal: AbortSignal;
  readonly secrets: Readonly<Record<string, string>>;
  readonly openLog: (source: string) => OutputLog;
  /** What people call it. */
  readonly label?: string;
  /** What it finds in its environment, beside its token and the secrets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it must listen; left out: on any free port. */
  readonly port?: number;
  readonly readiness?: Readiness;
  /** The token that it must ask for; left out: a new one. */
  readonly token?: string;
}

/** How long programs that listen no longer may take until they are gone. */
const endingMs = 2_000;

/** The project's software, started to be probed. */
export interface Software {
  readonly url: string;
  /** The token that requests with `auth_required` are sent with; it was made for this start alone. */
  readonly token: string;
  readonly readyMs: number;
  /** Why it has ended, though nobody had asked it to, or who listens in its place; undefined while it runs. */
  whyEnded(): Promise<string | undefined>;
  /** Ends it with all processes it started. */
  stop(): Promise<{ readonly peakMemoryBytes: number }>;
}

/** Starts the software on a free port and waits until it is ready; or says why it is not. */
export async function startSoftware(
  sandbox: Pick<Sandbox, "startCommand">,
  { document, command, folder, startsIn, signal, secrets, openLog, label = "scripts.start", port, ...more }: ToStart,
): Promise<Software | { readonly failure: string }> {
  const variable = tokenVariable(document);
  const env: Record<string, string> = {
    ...more.env,
    [variable]: more.token ?? makeToken(),
    ...secrets,
  };
  const token = env[variable] ?? "";
  const log = openLog("app");
  log.write(`$ ${command}\n`);
  const { path, status, withinSeconds, maxErrors } = more.readiness ?? readinessOf(document);
  try {
    const started = await startServer(sandbox, {
      ...(port !== undefined && { port }),
      ...{ name: label, command, folder, env, signal, maxErrors, onOutput: log.write },
      masker: new Masker([...Object.values(secrets), token]),
      account: userOf(folder),
      ...(startsIn !== undefined && { startsIn }),
      limits: documentLimits(document),
      readiness: { path, ...(status !== undefined && { status }) },
      readyWithinMs: withinSeconds * 1000,
    });
    if ("failure" in started) {
      log.end();
      return { failure: `${started.failure} ${causeLine(started.output, 300, folder)}`.trim() };
    }
    const { url, readyMs, running } = started;
    const stop = async () => {
      running.kill();
      await running.ended;
      log.end();
      return { peakMemoryBytes: running.peakMemoryBytes };
    };
    let endsSoon: Promise<boolean> | undefined;
    const whyEnded = async () => {
      const port = Number(new URL(url).port);
      const listens = running.isOver ? false : await running.listensAt?.(port);
      // Where nobody can see who listens, that nobody does is all that can be seen.
      const isAway = listens === false || (listens === undefined && (await freePort(port)) === port);
      // What serves may have ended, and what had started it not, or not yet.
      if (isAway) endsSoon ??= Promise.race([running.ended.then(() => true), delay(endingMs, false, { ref: false })]);
      if (running.isOver || (isAway && (await endsSoon)))
        return whyServerEnded(label, await running.ended, "while it was checked");
      return listens === false ? takenPort(label) : undefined;
    };
    return { url, token, readyMs, whyEnded, stop };
  } catch (error) {
    log.end();
    throw error;
  }
}

/**
 * The user of everything that runs at the same time in a project's folder: another one would become the owner of its files,
 * and the software could no longer write.
 */
export function userOf(project: string): RunAccount {
  return { name: project, folders: [] };
}

/** A token that nobody knows but whoever asks for it and whoever sends it. */
export function makeToken(): string {
  return randomBytes(24).toString("base64url");
}

/** The variable by which the software gets the token that it must ask for: `auth.token_variable`. */
function tokenVariable(document: CompleteSpec): string {
  const { auth } = document as { auth?: { token_variable?: unknown } };
  const name = typeof auth === "object" && auth !== null ? auth.token_variable : undefined;
  return typeof name === "string" && /^[A-Za-z_]\w*$/.test(name) ? name : "API_TOKEN";
}
