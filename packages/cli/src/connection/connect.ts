import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "@slipway/client";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import { dataFolderOf } from "./data-folder.ts";
import { type EmbeddedService, startEmbedded } from "./embedded-service.ts";

/** How to reach the service. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly data?: string;
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
  /** The roles of a service that is started for this command; all by default. */
  readonly roles?: string;
  readonly onStarting?: (folder: string) => void;
}

/** Connects to the given service, else to the one on the data folder, which is started if it is not running. */
export async function connect(options: ConnectionOptions, needs: Needs): Promise<Connection> {
  const { env } = needs;
  const url = options.url ?? (env["SLIPWAY_URL"] || undefined);
  // An explicit --data overrides SLIPWAY_URL.
  if (url !== undefined && (options.url !== undefined || options.data === undefined))
    return connectTo(url, options, env);
  return connectToFolder(await dataFolderOf(options.data, env), options, needs);
}

function connectTo(url: string, options: ConnectionOptions, env: Needs["env"]): Connection {
  const token = options.token ?? (env["SLIPWAY_TOKEN"] || undefined);
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== "http:" && protocol !== "https:")
    throw new UsageError(`'${url}' is not a service address such as http://127.0.0.1:4700`);
  if (token === undefined) throw new UsageError(`${url} requires a token: set SLIPWAY_TOKEN or give --token`);
  const flags = options.url === undefined ? [] : ["--url", url];
  return {
    client: createClient({ url, token }),
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
  const started = await startEmbedded(folder, needs);
  const service = started.is === "ours" ? started.service : undefined;
  const close = async () => service?.stop();
  try {
    const token = options.token ?? readToken(tokenFile);
    const flags = options.data === undefined ? [] : ["--data", folder];
    return {
      client: createClient({ url: started.url, token }),
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
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
