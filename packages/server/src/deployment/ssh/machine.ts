import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { lastLine } from "../../platform/one-line.ts";
import { spawnProgram } from "../../platform/process/index.ts";
import { JoinedStreams } from "../../platform/sandbox/index.ts";
import type { TemporaryFolders } from "../../platform/temporary-folders.ts";
import { timeLimit } from "../../platform/time-limit.ts";
import { pausesBetween } from "../pauses.ts";
import { TargetFailure } from "../supervisor/index.ts";
import { SharedConnection } from "./shared-connection.ts";
import type { SshSettings } from "./ssh-settings.ts";

interface RemoteCall {
  /** A script of ours for `sh`. It finds the words as `$1`, `$2` and so on. */
  readonly script: string;
  readonly words?: readonly string[];
  readonly stdin?: string | Readable;
  readonly onOutput?: (text: string) => void;
  readonly limitMs?: number;
  readonly signal?: AbortSignal | undefined;
}

interface RemoteEnd {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const usualLimitMs = 60_000;
const maxOutputLength = 256 * 1024;
/** What the ssh client ends with when it could not do its own part. */
const ownFailure = 255;

/** A machine that is reached by the system's ssh client. */
export class Machine {
  readonly settings: SshSettings;
  readonly #knownHosts: string;
  readonly #connection: SharedConnection;
  #isReady: Promise<void> | undefined;

  /** The folder is for what the client needs. */
  constructor(settings: SshSettings, folder: string, temporary: TemporaryFolders) {
    this.settings = settings;
    this.#knownHosts = join(folder, `${settings.name}.known-hosts`);
    this.#connection = new SharedConnection(temporary, this.options, settings.host);
  }

  /** What every call of the client begins with: only the operator's key, and only for the machine with its known key. */
  get options(): readonly string[] {
    const { port, user, keyFile, name } = this.settings;
    return [
      ...["-F", "none", "-T", "-p", String(port), "-l", user, "-i", keyFile],
      ...["-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none"],
      ...["-o", "StrictHostKeyChecking=yes", "-o", `UserKnownHostsFile=${this.#knownHosts}`],
      ...["-o", "GlobalKnownHostsFile=none", "-o", `HostKeyAlias=slipway-${name}`, "-o", "UpdateHostKeys=no"],
      ...["-o", "ForwardAgent=no", "-o", "ForwardX11=no", "-o", "PermitLocalCommand=no", "-o", "LogLevel=ERROR"],
      ...["-o", "ConnectTimeout=15", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=3"],
    ];
  }

  /** Writes down the machine's key, which the client asks for. */
  prepare(): Promise<void> {
    const { name, hostKey } = this.settings;
    this.#isReady ??= mkdir(join(this.#knownHosts, ".."), { recursive: true, mode: 0o700 })
      .then(() => writeFile(this.#knownHosts, `slipway-${name} ${hostKey}\n`, { mode: 0o600 }))
      .catch((error: unknown) => {
        // The disk may be full now, and have room another time.
        this.#isReady = undefined;
        throw error;
      });
    return this.#isReady;
  }

  /** Runs a script of ours there; throws a TargetFailure if the machine is not reached or it takes too long. */
  async run(call: RemoteCall): Promise<RemoteEnd> {
    await this.prepare();
    call.signal?.throwIfAborted();
    return this.#connection.use((shared) => this.#run(shared, call));
  }

  async #run(
    shared: readonly string[],
    { script, words = [], stdin = "", onOutput, limitMs = usualLimitMs, signal }: RemoteCall,
  ): Promise<RemoteEnd> {
    signal?.throwIfAborted();
    const { host, name } = this.settings;
    const command = ["sh", "-c", script, "slipway", ...words].map(quote).join(" ");
    const limit = timeLimit(limitMs);
    const child = spawnProgram("ssh", [...shared, ...this.options, "--", host, command], {
      stdio: ["pipe", "pipe", "pipe"],
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    const out = { stdout: "", stderr: "" };
    const pause = pausesBetween(signal);
    const joined = new JoinedStreams((text) => onOutput?.(text));
    const read = async (stream: "stdout" | "stderr") => {
      for await (const text of child[stream].setEncoding("utf8") as AsyncIterable<string>) {
        out[stream] = (out[stream] + text).slice(-maxOutputLength);
        joined.add(stream, text);
        await pause(text.length);
      }
    };
    // The exit code tells what became of a connection that broke.
    const reading = [read("stdout"), read("stderr")].map((one) => one.catch(() => undefined));
    // A script that ends early does not read all that it is given.
    const sent =
      typeof stdin === "string" ? void child.stdin.end(stdin) : pipeline(stdin, child.stdin).catch(() => undefined);
    child.stdin.on("error", () => undefined);
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }).catch((error: NodeJS.ErrnoException) => {
      signal?.throwIfAborted();
      if (error.code === "ENOENT")
        throw new TargetFailure("The program ssh is not installed. Install OpenSSH's client.");
      throw new TargetFailure(`The machine '${name}' takes too long to answer.`, { cause: error });
    });
    await Promise.all([sent, ...reading]);
    joined.end();
    if (exitCode === ownFailure) {
      // A client that shares a connection says nothing when that breaks.
      const why = lastLine(out.stderr) || "the connection was lost";
      throw new TargetFailure(`The machine '${name}' cannot be reached: ${why}`);
    }
    return { exitCode, ...out };
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** The same, where nothing may go wrong; returns what it printed. */
  async must(what: string, call: RemoteCall): Promise<string> {
    const { exitCode, stdout, stderr } = await this.run(call);
    if (exitCode === 0) return stdout;
    throw new TargetFailure(`The machine '${this.settings.name}' could not ${what}: ${lastLine(stderr)}`);
  }
}

/** A word of the remote shell, whatever it contains. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
