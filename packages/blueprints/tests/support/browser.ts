import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, onTestFinished } from "vitest";

export interface Page {
  /** A command of the browser's own protocol, and its answer. */
  send(method: string, parameters?: object): Promise<unknown>;
  evaluate(expression: string): Promise<unknown>;
}

/** Opens pages in a real Chromium, one for all tests of a file, each until its test is over; nothing where none is installed. */
export function openPages(): (url: string) => Promise<Page | undefined> {
  let browser: Promise<Browser | undefined> | undefined;
  afterAll(async () => (await browser)?.close());
  return async (url) => {
    browser ??= startBrowser();
    return (await browser)?.open(url);
  };
}

interface Browser {
  open(url: string): Promise<Page>;
  close(): Promise<void>;
}

async function startBrowser(): Promise<Browser | undefined> {
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
  const close = async () => {
    if (child.pid !== undefined && child.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    // What it started writes for a moment longer.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  const address = await debuggingAddress(child);
  if (address === undefined) {
    await close();
    return undefined;
  }
  const { host } = new URL(address);
  const { send } = await connect(address);
  const open = async (url: string) => {
    // Not in a context of its own: in a private window no app can be installed.
    const { targetId } = (await send("Target.createTarget", { url: "about:blank" })) as { targetId: string };
    onTestFinished(async () => void (await send("Target.closeTarget", { targetId })));
    return visit(`ws://${host}/devtools/page/${targetId}`, url);
  };
  return { open, close };
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
  const loaded = Promise.withResolvers<void>();
  const { send } = await connect(address, (method) => {
    if (method === "Page.loadEventFired") loaded.resolve();
  });
  const evaluate = async (expression: string) => {
    const { result } = (await send("Runtime.evaluate", {
      expression,
      awaitPromise: true,
      returnByValue: true,
    })) as { result: { value?: unknown } };
    return result.value;
  };
  // An earlier test may have had the same port.
  await send("Storage.clearDataForOrigin", { origin: new URL(url).origin, storageTypes: "all" });
  await send("Page.enable");
  await send("Page.navigate", { url });
  await loaded.promise;
  return { send, evaluate };
}

/** What is said of itself comes to `hear`. */
async function connect(address: string, hear?: (method: string | undefined) => void): Promise<Pick<Page, "send">> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Answer;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else hear?.(message.method);
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
  return { send };
}
