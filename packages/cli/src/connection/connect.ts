import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Client, createClient } from "@slipway/client";
import { CommandError, exitCode, UsageError } from "../exit-code.ts";
import { dataFolderOf } from "./data-folder.ts";
import { type EmbeddedService, startEmbedded } from "./embedded-service.ts";

/** How to find the service. */
export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly data?: string;
}

export interface Connection {
  readonly client: Client;
  /** The service, if we started it for ourselves. */
  readonly service: EmbeddedService | undefined;
  /** The folder of the embedded service, whoever started it. */
  readonly dataFolder: string | undefined;
  /** A command that reaches the same service from another terminal. */
  commandLine(...words: readonly string[]): string;
  /** Ends the service, if it is ours. */
  close(): Promise<void>;
}

export interface Needs {
  readonly signal: AbortSignal;
  /** Whether a new installation may be made where there is none. */
  readonly mayCreate: boolean;
  /** What a service that is started for us has to do. */
  readonly roles?: string;
  readonly onStarting?: (folder: string) => void;
}

/** The service that was named; else the one on the data folder, which is started for us if it does not run. */
export async function connect(options: ConnectionOptions, needs: Needs): Promise<Connection> {
  const url = options.url ?? (process.env["SLIPWAY_URL"] || undefined);
  // A folder that is named now counts more than a variable that was set once.
  if (url !== undefined && (options.url !== undefined || options.data === undefined)) return connectTo(url, options);
  return connectToFolder(await dataFolderOf(options.data), options, needs);
}

function connectTo(url: string, options: ConnectionOptions): Connection {
  const token = options.token ?? (process.env["SLIPWAY_TOKEN"] || undefined);
  const { protocol } = URL.parse(url) ?? {};
  if (protocol !== "http:" && protocol !== "https:")
    throw new UsageError(`'${url}' is no address of a service, such as http://127.0.0.1:4700`);
  if (token === undefined) throw new UsageError(`${url} needs a token: set SLIPWAY_TOKEN, or give --token`);
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
      `there is no service: none has run on ${folder}. Start one with 'slipway serve' or 'slipway run', name its folder with --data, or set SLIPWAY_URL and SLIPWAY_TOKEN.`,
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
      `the administrator's token cannot be read from ${file} (${(error as NodeJS.ErrnoException).code}). 'slipway admin-token rotate' makes a new one; SLIPWAY_TOKEN or --token takes another.`,
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
