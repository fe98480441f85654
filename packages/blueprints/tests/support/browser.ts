import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export interface Page {
  /** A command of the browser's own protocol, and its answer. */
  send(method: string, parameters?: object): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}

/** A page in a real Chromium, until the test is over; nothing where none is installed. */
export async function openPage(url: string): Promise<Page | undefined> {
  const profile = await mkdtemp(join(tmpdir(), "slipway-browser-"));
  const flags = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
  ];
  const words = [...flags, `--user-data-dir=${profile}`, "--remote-debugging-port=0", "about:blank"];
  // By a shell, which says when there is no such program.
  const child = spawn("/bin/sh", ["-c", 'exec chromium "$@"', "chromium", ...words], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    // What it started writes for a moment longer.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const address = await debuggingAddress(child);
  if (address === undefined) return undefined;
  const { host } = new URL(address);
  const targets = (await (await fetch(`http://${host}/json`)).json()) as {
    type: string;
    webSocketDebuggerUrl: string;
  }[];
  return visit(targets.find(({ type }) => type === "page")!.webSocketDebuggerUrl, url);
}

/** Chromium says on standard error where it listens; nothing if it ends without. */
async function debuggingAddress(child: ReturnType<typeof spawn>): Promise<string | undefined> {
  for await (const line of createInterface({ input: child.stderr! })) {
    const found = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/** The page once it has loaded. */
async function visit(address: string, url: string): Promise<Page> {
  const socket = new WebSocket(address);
  const loaded = Promise.withResolvers<void>();
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Answer;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.method === "Page.loadEventFired") loaded.resolve();
  });
  await once(socket, "open");
  let last = 0;
  const send = (method: string, params: object = {}) =>
    new Promise<unknown>((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ result, error }) =>
        error === undefined ? resolve(result) : reject(new Error(error.message)),
      );
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  const evaluate = async (expression: string) => {
    const { result } = (await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value?: unknown } };
    return result.value;
  };
  await send("Page.enable");
  await send("Page.navigate", { url });
  await loaded.promise;
  return { send, evaluate };
}
