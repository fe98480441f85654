// @module-tag soak
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { eventsOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";

const { app, play } = await createStage({ minuteMs: 10_000 });

const node = process.execPath;
const resources = { memory_gb: 0.25 };
/** Takes 1.2 GB, a little at a time, so that a watch ends it long before. */
const grow = "const a = []; setInterval(() => a.length < 75 && a.push(Buffer.alloc(16 << 20, 1)), 20)";
const eat = `${node} -e '${grow}'`;
const fork = "i=0; while [ $i -lt 600 ]; do sleep 1000 & i=$((i+1)); done; wait";

const killed = (what: string) =>
  new RegExp(
    `^Process killed due to memory limit exceeded\\. ${what} used \\d+MB, limit was 256MB\\. Raise resources\\.memory_gb, `,
  );
const tooMany = (what: string) =>
  new RegExp(
    `^Process killed due to process limit exceeded\\. ${what} started \\d+ processes, limit was 512\\. Start fewer `,
  );
const logOf = async (id: string, source: string) =>
  (await app.call({ url: `/api/v1/projects/${id}/logs?service=${source}` }))
    .json<{ lines: { text: string }[] }>()
    .lines.map(({ text }) => text)
    .join("\n");

const scripts = [
  ["build", "build_failed"],
  ["test", "test_failed"],
  ["deploy", "deployment_failed"],
  ["start", "deployment_failed"],
] as const;

test.for(soakCases(scripts))(
  "scripts.%s is ended when it takes more memory than the document allows",
  async ([name, code]) => {
    const id = await play({ resources, scripts: { [name]: eat } });
    expect((await untilEnded(app, id)).error).toMatchObject({
      code,
      message: expect.stringMatching(killed(`scripts.${name}`)),
    });
  },
);

test.for(soakCases([scripts[3], scripts[0]]))(
  "scripts.%s is ended when it starts too many processes",
  { tags: "long" },
  async ([name, code]) => {
    const id = await play({ scripts: { [name]: fork } });
    expect((await untilEnded(app, id)).error).toMatchObject({
      code,
      message: expect.stringMatching(tooMany(`scripts.${name}`)),
    });
  },
);

test("programs run on as many cores as the document allows", { tags: "long" }, async () => {
  const resources = { cpu_cores: 1 };
  const hasOneCore = "test $(nproc) = 1";
  const serve = `${node} -e 'require("http").createServer((q, s) => s.end()).listen(process.env.PORT)'`;
  for (const last of [{ deploy: hasOneCore }, { start: `${hasOneCore} && ${serve}` }]) {
    const id = await play({ resources, scripts: { build: hasOneCore, test: hasOneCore, ...last } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  }
});

test("a deployed program that grows later is ended and started again, and its log says why", async () => {
  const serve = `require("http").createServer((q, s) => { if (q.url === "/grow") { ${grow} } s.end("up"); })`;
  const start = `${node} -e '${serve}.listen(process.env.PORT, process.env.HOST)'`;
  const id = await play({ resources, scripts: { start } });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  const url = (await eventsOf(app, id)).find(({ event }) => event === "project.deployed")!.data["url"] as string;
  const text = (answer: Response) => answer.text();
  await expect(fetch(`${url}/grow`).then(text)).resolves.toMatch(/^up$|did not answer/);
  await expect.poll(() => logOf(id, "app")).toMatch(/^Process killed due to memory .*256MB\./m);
  await expect.poll(() => fetch(url).then(text)).toBe("up");
});
