import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "@slipway/client";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import { readContexts } from "../login/contexts.ts";
import { dataFolderOf } from "./data-folder.ts";
import type { EmbeddedService } from "./embedded-service.ts";
import { findRunning } from "./find-running.ts";
import { quickFetch } from "./quick-fetch.ts";

/** How to reach the service. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly data?: string;
  /** The name of a service that the user has logged in to. */
  readonly context?: string;
}

export interface Connection {
  readonly client: Client;
  /** The service, if this process started it. */
  readonly service: EmbeddedService | undefined;
  /** The data folder, if the service is on this machine. */
  readonly dataFolder: string | undefined;
  /** A command line that calls the same service from another terminal. */
  commandLine(...words: readonly string[]): string;
  /** Stops the service if this process started it. */
  close(): Promise<void>;
}

export interface Needs {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly signal: AbortSignal;
  /** Whether a service may be set up on a new data folder. */
  readonly mayCreate: boolean;
  /** Whether a service may be started at all; by default it may. */
  readonly mayStart?: false;
  /** The roles of a service that is started for this command; all by default. */
  readonly roles?: string;
  readonly onStarting?: (folder: string) => void;
}

/**
 * Connects to the service that flags name, else the environment, else the one on this folder's data folder, else the one
 * that the user logged in to last; where there is none, to one that is started on the data folder.
 */
export async function connect(options: ConnectionOptions, needs: Needs): Promise<Connection> {
  const { env } = needs;
  const url = options.url ?? (options.data || options.context ? undefined : env["SLIPWAY_URL"] || undefined);
  if (url !== undefined) return connectTo(url, { ...options, token: await tokenFor(url, options, env) });
  const context = options.context ?? (options.data ? undefined : env["SLIPWAY_CONTEXT"] || undefined);
  if (context !== undefined) return connectToContext(context, options, env);
  const folder = await dataFolderOf(options.data, env);
  const isOurs = options.data !== undefined || Boolean(env["SLIPWAY_DATA"]) || existsSync(folder);
  const current = isOurs ? null : readContexts(env).current;
  if (current !== null) return connectToContext(current, options, env);
  return connectToFolder(folder, options, needs);
}

/** As `connect` does, but starts no service: undefined where none runs, or where nothing lets us in. */
export async function connectIfRunning(options: ConnectionOptions, env: Needs["env"]): Promise<Connection | undefined> {
  try {
    const signal = new AbortController().signal;
    return await connect(options, { env, signal, mayCreate: false, mayStart: false });
  } catch (error) {
    if (error instanceof CommandError && options.url === undefined && options.context === undefined) return undefined;
    throw error;
  }
}

async function connectToContext(name: string, options: ConnectionOptions, env: Needs["env"]): Promise<Connection> {
  const found = readContexts(env).contexts[name];
  if (found === undefined)
    throw new UsageError(`there is no context '${name}'; 'slipway contexts list' shows what there is`);
  const { freshToken } = await import("../login/fresh-token.ts");
  const token = options.token ?? (await freshToken(env, name, found));
  const connection = connectTo(found.url, { ...options, token });
  const flags = options.context === undefined ? [] : ["--context", name];
  return { ...connection, commandLine: (...words) => inShell([...words, ...flags]) };
}

/** For an address alone: the token of a login there, or that of the local service if it has this address. */
async function tokenFor(url: string, options: ConnectionOptions, env: Needs["env"]): Promise<string> {
  const { protocol, origin } = URL.parse(url) ?? {};
  if (protocol !== "http:" && protocol !== "https:")
    throw new UsageError(`'${url}' is not a service address such as http://127.0.0.1:4700`);
  const given = options.token ?? (env["SLIPWAY_TOKEN"] || undefined);
  if (given !== undefined) return given;
  const login = Object.entries(readContexts(env).contexts).find(([, kept]) => URL.parse(kept.url)?.origin === origin);
  if (login !== undefined) return (await import("../login/fresh-token.ts")).freshToken(env, ...login);
  const folder = await dataFolderOf(options.data, env);
  const running = await findRunning(folder);
  if (running !== undefined && URL.parse(running)?.origin === origin) return readToken(join(folder, "admin-token"));
  const from = options.url === undefined ? "SLIPWAY_URL" : "--url";
  const other = options.data ?? (env["SLIPWAY_DATA"] || undefined);
  throw new UsageError(
    [
      `${url}, which ${from} names, requires a token: set SLIPWAY_TOKEN, give --token, or run 'slipway login ${url}'.`,
      ...(other === undefined
        ? []
        : [`${from} goes before the data folder ${other}: for the service there, leave ${from} out.`]),
    ].join("\n"),
  );
}

function connectTo(url: string, options: ConnectionOptions & { readonly token: string }): Connection {
  const { token } = options;
  const flags = options.url === undefined ? [] : ["--url", url];
  return {
    client: createClient({ url, token, fetch: quickFetch }),
    service: undefined,
    dataFolder: undefined,
    commandLine: (...words) => inShell([...words, ...flags]),
    close: async () => undefined,
  };
}

async function connectToFolder(folder: string, options: ConnectionOptions, needs: Needs): Promise<Connection> {
  const tokenFile = join(folder, "admin-token");
  if (!needs.mayCreate && !existsSync(tokenFile)) {
    throw new CommandError(
      exitCode.cannotConnect,
      `no service has run on ${folder} yet. Start one with 'slipway serve' or 'slipway run', name another folder with --data, or set SLIPWAY_URL and SLIPWAY_TOKEN.`,
    );
  }
  needs.onStarting?.(folder);
  const { url, service } = await findOrStart(folder, needs);
  const close = async () => service?.stop();
  try {
    const token = options.token ?? readToken(tokenFile);
    const flags = options.data === undefined ? [] : ["--data", folder];
    return {
      client: createClient({ url, token, fetch: quickFetch }),
      service,
      dataFolder: folder,
      commandLine: (...words) => inShell([...words, ...flags]),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function findOrStart(folder: string, needs: Needs): Promise<{ url: string; service?: EmbeddedService }> {
  const url = await findRunning(folder);
  if (url !== undefined) return { url };
  if (needs.mayStart === false) throw new CommandError(exitCode.cannotConnect, `no service runs on ${folder}`);
  // What starts programs is loaded only where one is started.
  const { startEmbedded } = await import("./embedded-service.ts");
  return startEmbedded(folder, needs);
}

function readToken(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new CommandError(
      exitCode.cannotConnect,
      `cannot read the administrator's token from ${file} (${(error as NodeJS.ErrnoException).code}). Create a new one with 'slipway admin-token rotate', or give a token with SLIPWAY_TOKEN or --token.`,
      { cause: error },
    );
  }
}

function inShell(words: readonly string[]): string {
  return ["slipway", ...words].map(shellWord).join(" ");
}

/** Quotes a word for a shell where it has to be. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
