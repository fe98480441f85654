// @module-tag soak
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AgentVision } from "@slipway/contract";
import { afterAll, describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import type { FunctionWork } from "../../../src/agents/index.ts";
import { eventsOf, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";

/** What the operator gave the agent. */
const key = "sk-test-0123456789abcdef";
/** What the document asks for. */
const ofDocument = "open/sesame+42";
process.env["FILES_TEST_KEY"] = ofDocument;
afterAll(() => {
  delete process.env["FILES_TEST_KEY"];
});

const { app, play, agentId } = await createStage({ agents: [{ secrets: () => [key] }], minuteMs: 60_000 });
const secrets = { provider: "env", required: ["FILES_TEST_KEY"] };
const making = (work: (folder: string) => unknown) => async (asked: FunctionWork) => {
  if (asked.task.role !== "implementer") return undefined;
  await work(asked.folder);
  return { is: "done" } as const;
};

const leaks: Readonly<Record<string, readonly [string, (folder: string) => unknown]>> = {
  "an agent's key in a new file": ["env.txt", (folder) => writeFile(join(folder, "env.txt"), `A=1\nKEY=${key}\n`)],
  "a document's secret in a file below": [
    "deep/er/.env",
    async (folder) => {
      await mkdir(join(folder, "deep/er"), { recursive: true });
      await writeFile(join(folder, "deep/er/.env"), ofDocument);
    },
  ],
  "a key in base64": [
    "b64",
    (folder) => writeFile(join(folder, "b64"), Buffer.from(`X=1\nKEY=${key}\n`).toString("base64")),
  ],
  "a key among zero bytes": ["a.bin", (folder) => writeFile(join(folder, "a.bin"), `\0\0${key}\0`)],
  "a key as the target of a link": ["link", (folder) => symlink(key, join(folder, "link"))],
};

describe("the attempt fails, naming the file and not the value:", () => {
  test.for(soakCases(Object.entries(leaks)))("%s", async ([, [path, leak]]) => {
    const id = await play({ secrets }, making(leak));
    const project = await untilEnded(app, id);
    expect(project).toMatchObject({
      status: "failed",
      error: { code: "secret_found", message: expect.stringContaining(`'${path}' contains the value of a secret`) },
    });
    const told = JSON.stringify([project, await eventsOf(app, id), await tasksOf(app, id)]);
    expect(told).not.toContain(key);
    expect(told).not.toContain(ofDocument);
    expect(await artifactsOf(id)).not.toContain("source_code");
  });

  test("a key as a name, which is not told", async () => {
    const id = await play(
      {},
      making((folder) => writeFile(join(folder, key), "")),
    );
    const { error } = await untilEnded(app, id);
    expect(error).toMatchObject({ code: "secret_found", message: expect.stringMatching(/^A file's name contains/) });
    expect(JSON.stringify(await eventsOf(app, id))).not.toContain(key);
  });

  const refused: readonly [string, (folder: string) => unknown][] = [
    ["a link that leads out", (folder) => symlink(`/${key}`, join(folder, "link"))],
    ["a pipe", (folder) => execFileSync("mkfifo", [join(folder, key)])],
    ["a repository", (folder) => mkdir(join(folder, key, ".git"), { recursive: true })],
  ];

  test.for(soakCases(refused))("a key in the name of what is refused for another reason: %s", async ([, leak]) => {
    const id = await play({}, making(leak));
    const project = await untilEnded(app, id);
    expect(project.status).toBe("failed");
    expect(JSON.stringify([project, await eventsOf(app, id), await tasksOf(app, id)])).not.toContain(key);
  });

  test("also what a failed attempt leaves for people who debug it", async () => {
    const id = await play({ debug: { save_intermediate_files: true } }, async ({ task, folder }) => {
      if (task.role !== "implementer") return undefined;
      await writeFile(join(folder, "env.txt"), key);
      return { is: "failed", code: "broken", message: "It broke." };
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "failed", error: { code: "secret_found" } });
    expect(await artifactsOf(id)).not.toContain("intermediate_files");
  });
});

test("an agent that does better is taken", async () => {
  const id = await play({ secrets }, async ({ task, folder, attempt }) => {
    if (task.role !== "implementer") return undefined;
    const text = attempt === 1 ? key : "process.env.KEY";
    await writeFile(join(folder, "a.js"), text);
    return { is: "done" };
  });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
  const { attempts } = (await tasksOf(app, id)).find(({ role }) => role === "implementer")!;
  expect(attempts.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
    ["failed", "secret_found"],
    ["completed", undefined],
  ]);
});

test("people who watch the agent at work do not see the value in its files", async () => {
  const [written, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const id = await play({}, async ({ task, folder }) => {
    if (task.role !== "implementer") return undefined;
    await writeFile(join(folder, "env.txt"), `KEY=${key}\n`);
    written.resolve();
    await mayGo.promise;
    return { is: "failed", code: "broken", message: "It broke." };
  });
  await written.promise;
  const url = `/api/v1/agents/${await agentId("scripted")}/vision?file=env.txt`;
  const vision = await app.call({ url });
  mayGo.resolve();
  expect(vision.json<AgentVision>()).toMatchObject({ source: "folder", current: { text: "KEY=********\n" } });
  expect(vision.body).not.toContain(key);
  await untilEnded(app, id);
});

test("nor a value that was replaced while the agent was at work", async () => {
  const set = (value: string) => app.call({ method: "PUT", url: "/api/v1/secrets/KEY", payload: { value } });
  await set("of-the-first-days-41");
  const [written, mayGo] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const id = await play({ secrets: { provider: "slipway", required: ["KEY"] } }, async ({ task, folder }) => {
    if (task.role !== "implementer") return undefined;
    await writeFile(join(folder, "env.txt"), "KEY=of-the-first-days-41\n");
    written.resolve();
    await mayGo.promise;
    return { is: "failed", code: "broken", message: "It broke." };
  });
  await written.promise;
  await set("of-the-next-days-42");
  const vision = await app.call({ url: `/api/v1/agents/${await agentId("scripted")}/vision?file=env.txt` });
  mayGo.resolve();
  expect(vision.json<AgentVision>()).toMatchObject({ source: "folder", current: { text: "KEY=********\n" } });
  await untilEnded(app, id);
});

async function artifactsOf(id: string): Promise<string[]> {
  const answer = await app.call({ url: `/api/v1/projects/${id}/artifacts` });
  return answer.json<{ artifacts: { type: string }[] }>().artifacts.map(({ type }) => type);
}
