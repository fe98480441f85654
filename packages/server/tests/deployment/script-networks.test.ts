import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, expect, test } from "vitest";
import { countingServer, deploymentCalls } from "../support/deployments/app-calls.ts";
import { untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";

const { app, play } = await createStage({ sandbox: "auto" });

/** What stands for a database, or for where a script takes the files. */
const asked: string[] = [];
const target = createServer(({ url }, response) => {
  asked.push(url!);
  response.end();
}).listen(0, "127.0.0.1");
await once(target, "listening");
afterAll(() => void target.close());
const { port } = target.address() as AddressInfo;
const go = (path: string) => `${process.execPath} -e "await fetch('http://127.0.0.1:${port}/${path}')"`;

const deploy = async (id: string, scripts: object) => untilEnded(app, await play({ id, scripts }));

test("scripts.migrate reaches what the deployed software reaches", async () => {
  expect(await deploy("database", { start: countingServer("one"), migrate: go("migrate") })).toMatchObject({
    status: "deployed",
  });
  expect(asked).toContain("/migrate");
});

test("scripts.deploy and scripts.rollback reach where the software runs", async () => {
  const scripts = { deploy: go("deploy"), rollback: go("rollback") };
  await deploy("elsewhere", scripts);
  const { application_id } = await deploy("elsewhere", scripts);
  const { statusCode } = await deploymentCalls(app, application_id).command("rollback", {});
  expect([statusCode, asked]).toEqual([200, expect.arrayContaining(["/deploy", "/rollback"])]);
});

test("of a script of a deployment that fails, the line that says why is told", async () => {
  const migrate = `${process.execPath} -e "throw new Error('the table is locked')"`;
  const { error } = await deploy("locked", { start: countingServer("one"), migrate });
  expect(error!.message).toMatch(/^scripts\.migrate ended with exit code 1\. It said: Error: the table is locked/);
  const script = "printf 'HOME LANG PATH '; echo no way to the host >&2; exit 7";
  expect((await deploy("unsent", { deploy: script })).error!.message).toBe(
    "scripts.deploy ended with exit code 7. It said: no way to the host",
  );
});
