// @module-tag long
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { expect, test } from "vitest";
import { untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";

// A service that is run by root gives each sandboxed run a user, who becomes the owner of the folder.
const { app, play } = await createStage({ sandbox: "auto" });

const program = `
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
mkdirSync("data");
createServer((request, response) => {
  try {
    writeFileSync("data/last", request.url);
    response.end("ok");
  } catch (error) {
    response.writeHead(500).end(error.message);
  }
}).listen(process.env.PORT, process.env.HOST);
`;

test("a program can still write into its folder after its health check script ran there", async () => {
  const parts = {
    acceptance: { http_endpoints: [{ path: "/" }], performance: { error_rate: 0.01 } },
    scripts: { start: "node server.mjs", health_check: "node -e 'fetch(process.env.URL)'" },
    guardrails: { repair_rounds: 0 },
  };
  const id = await play(parts, async ({ folder, task }) => {
    if (task.role !== "planner") await writeFile(join(folder, "server.mjs"), program);
    return { is: "done" };
  });
  await untilEnded(app, id);
  const { lines } = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
  const line = lines.find(({ pointer }) => pointer === "/acceptance/performance/error_rate");
  expect(line).toMatchObject({ verdict: "passed" });
});
