import { isatty } from "node:tty";
import picocolors from "picocolors";
import { onLauncherGone } from "../launcher.ts";
import { endWithOutput } from "./end-with-output.ts";
import { LiveArea, type LiveContent } from "./live-area.ts";
import { onTerminal } from "./printable.ts";

/** Where a command runs, reads and writes: results go to `out`, messages to `err`. */
export interface Terminal {
  readonly env: Readonly<NodeJS.ProcessEnv>;
  readonly input: AsyncIterable<Uint8Array>;
  readonly colors: ReturnType<typeof picocolors.createColors>;
  out(text: string): void;
  /** Writes bytes as they are to where `out` writes; resolves when more may follow. */
  write(bytes: Uint8Array): Promise<void>;
  err(text: string): void;
  /** From now on signals no longer end the process but call this; the end of the launcher counts as SIGTERM. */
  onSignal(receive: (signal: Signal) => void): void;
  /** Opens an address in the browser, where somebody sits before the terminal. */
  browse?(url: string): void;
  /** Asks a person for a line without showing it; undefined where the input is no terminal. */
  readonly askHidden?: (question: string) => Promise<string>;
  /** Asks a person for a line; undefined where nobody sits before the terminal. The signal takes the question back. */
  readonly ask?: (question: string, signal?: AbortSignal) => Promise<string>;
  /** A prompt with history and completion; undefined where nobody sits before the terminal. */
  readonly converse?: (prompt: string, complete: (line: string) => string[]) => AsyncGenerator<string, void, void>;
  /** Whether what is live can be seen: somebody looks at a terminal that can move its cursor. */
  readonly isLive?: boolean;
  /** Shows something below all other output; undefined removes it. */
  live(content: LiveContent | undefined): void;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
type Signal = (typeof signals)[number];

/** The terminal of this process. Colours depend on NO_COLOR, FORCE_COLOR and whether the output is a terminal. */
export function processTerminal(): Terminal {
  endWithOutput();
  const { env } = process;
  // In CI a terminal is a recording that nobody watches.
  const isLive = process.stderr.isTTY === true && env["TERM"] !== "dumb" && !env["CI"];
  const live = new LiveArea(process.stderr, { isTerminal: isLive });
  return {
    isLive: isLive && process.stdout.isTTY === true,
    env: process.env,
    // Most commands read nothing.
    get input() {
      return process.stdin;
    },
    colors: picocolors.createColors(
      picocolors.isColorSupported && (process.stdout.isTTY || "FORCE_COLOR" in process.env),
    ),
    // What another program reads stays as it is.
    out: (text) => live.above(() => process.stdout.write(`${process.stdout.isTTY ? onTerminal(text) : text}\n`)),
    write: async (bytes) => {
      if (!process.stdout.write(bytes)) await new Promise<void>((resolve) => process.stdout.once("drain", resolve));
    },
    err: (text) => live.above(() => process.stderr.write(`${onTerminal(text)}\n`)),
    onSignal: (receive) => {
      for (const signal of signals) process.on(signal, () => receive(signal));
      onLauncherGone(() => receive("SIGTERM"));
    },
    browse: (url) => void browse(url),
    ...(isatty(0) && {
      ask: (question, signal) =>
        live.pausedFor(async () => (await person()).ask(process.stdin, process.stderr, question, interrupt, signal)),
      converse: async function* (prompt, complete) {
        yield* (await person()).converse(process.stdin, process.stderr, prompt, complete);
      },
      askHidden: async (question) => {
        const show = (text: string) => live.above(() => process.stderr.write(text));
        return (await person()).askHidden(process.stdin, show, question, interrupt);
      },
    }),
    live: (content) => live.show(content),
  };
}

/** How to ask: loaded when somebody is asked. */
function person(): Promise<typeof import("./person.ts")> {
  return import("./person.ts");
}

function interrupt(): void {
  process.kill(process.pid, "SIGINT");
}

async function browse(url: string): Promise<void> {
  // The service says where: nothing but a web page may be opened by that.
  const { protocol, href } = URL.parse(url) ?? {};
  if (!process.stdout.isTTY || href === undefined || (protocol !== "http:" && protocol !== "https:")) return;
  const [program, ...args] = openers[process.platform] ?? ["xdg-open"];
  const { spawn } = await import("node:child_process");
  const opener = spawn(program, [...args, href], { detached: true, stdio: "ignore" });
  // Without a browser, the address that was printed has to do.
  opener.on("error", () => undefined).unref();
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};
