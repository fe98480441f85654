import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type CommandStarter, startServer } from "../../../src/platform/sandbox/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";

/** Starts nothing: a server of ours answers at the port. */
const starter: CommandStarter = {
  startCommand: ({ env }) => {
    const server = createServer((_, response) => response.end("well")).listen(Number(env["PORT"]), env["HOST"]);
    onTestFinished(() => void server.close());
    const stop = async () => undefined;
    return {
      ended: new Promise(() => {}),
      isOver: false,
      output: async () => "",
      kill: stop,
      stop,
      peakMemoryBytes: 0,
    };
  },
};

test("a program that has little time to get ready is seen when it is", async () => {
  const started = await startServer(starter, {
    ...{ name: "scripts.start", command: "true", folder: "/", env: {}, limits: ampleLimits },
    // Within what a single request may take.
    ...{ readiness: { path: "/" }, readyWithinMs: 4_999.9, maxErrors: 1, signal: new AbortController().signal },
  });
  expect(started).toMatchObject({ url: expect.stringMatching(/^http:/) });
});
