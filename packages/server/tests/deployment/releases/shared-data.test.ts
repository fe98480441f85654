// @module-tag long
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../../src/platform/sandbox/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { releaseStage } from "../../support/releases/stage.ts";

const examples: Readonly<Record<string, { readonly path: string; readonly record: object }>> = {
  api: { path: "/api/issues", record: { title: "One" } },
  "desktop-app": { path: "/api/notes", record: { book: "One", thought: "Two" } },
};

test.for(Object.keys(examples))(
  "two sandboxes with a user each share the records of the example of %s",
  { tags: "long" },
  async (name) => {
    const { folder, writeExample, sandbox, elsewhere } = await releaseStage();
    const data = join(elsewhere, "data");
    await mkdir(data);
    const { start } = await writeExample(name);
    const run = async () => {
      const env = { SLIPWAY_DATA_DIR: data };
      const { signal } = new AbortController();
      const server = { name: "start", command: start!, folder, env, writable: [data], limits: ampleLimits, signal };
      const readiness = { path: "/health", status: 200 };
      const started = await startServer(sandbox, { ...server, readiness, readyWithinMs: 60_000, maxErrors: 1 });
      if ("failure" in started) throw new Error(started.failure + started.output);
      const stop = async () => {
        started.running.kill();
        await started.running.ended;
      };
      onTestFinished(stop);
      return { url: started.url, stop };
    };
    const { path, record } = examples[name]!;
    const add = async ({ url }: { readonly url: string }) => {
      const headers = { "content-type": "application/json" };
      return (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(record) })).status;
    };
    const list = async ({ url }: { readonly url: string }) => {
      const answer = (await (await fetch(url + path)).json()) as { items?: unknown[] } | unknown[];
      return Array.isArray(answer) ? answer : (answer.items ?? []);
    };
    const first = await run();
    const seeded = (await list(first)).length;
    expect(await add(first)).toBe(201);
    const second = await run();
    expect(await add(second)).toBe(201);
    expect(await add(first)).toBe(201);
    await first.stop();
    expect(await add(second)).toBe(201);
    const third = await run();
    expect(await list(third)).toHaveLength(seeded + 4);
  },
);
