import { parentPort, threadId } from "node:worker_threads";

/** Does what a document tells it to, where the real thread would read it. */
parentPort?.on("message", ({ environment }: { environment: string }) => {
  if (environment === "spin") for (;;);
  if (environment === "throw") throw new Error("broken");
  if (environment === "exit") process.exit(0);
  if (environment === "eat") for (const eaten: unknown[] = []; ; ) eaten.push(new Array(1_000_000).fill(1.5));
  parentPort?.postMessage({ diagnostics: [], json: String(threadId) });
});
