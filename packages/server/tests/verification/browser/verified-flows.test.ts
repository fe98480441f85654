import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { noBrowser } from "../../support/verification/follow-flows.ts";

const { app, play } = await createStage({ sandbox: "auto" });

const program = (isBroken: boolean) => `
import { createServer } from "node:http";
const page = '<label>Title <input></label><button>Add</button><p></p><script>' +
  'document.querySelector("button").onclick = () => {' +
  '${isBroken ? "" : 'document.querySelector("p").append(document.querySelector("input").value)'} };</script>';
createServer((request, response) => response.setHeader("content-type", "text/html").end(page))
  .listen(process.env.PORT, process.env.HOST);
`;

const flows = {
  user_flows: { adding: ["open /", "fill Title with Milk", "click Add", "see Milk"] },
  ux_flows: ["the user is delighted", { name: "aimless", steps: ["open /", "click Add"] }],
};

/** Runs a document with these flows; gives its end, its lines by pointer, and a way to read their evidence. */
async function run(isBroken: boolean) {
  const parts = { acceptance: flows, guardrails: { repair_rounds: 0 }, scripts: { start: "node server.mjs" } };
  const id = await play(parts, async ({ folder, task }) => {
    if (task.role === "planner") return undefined;
    await writeFile(join(folder, "server.mjs"), program(isBroken));
    return { is: "done" };
  });
  const { status } = await untilEnded(app, id);
  const { lines } = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
  const of = (pointer: string) => lines.find((line) => line.pointer === `/acceptance/${pointer}`)!;
  const read = (path: string) => app.call({ url: `/api/v1/projects/${id}/artifacts/${path}` });
  return { status, of, read };
}

describe.skipIf(noBrowser !== undefined)("through the service", () => {
  test("a flow that the software does not follow fails it, and the page is kept as evidence", {
    tags: "long",
  }, async () => {
    const { status, of, read } = await run(true);
    expect(status).toBe("failed");
    expect(of("user_flows/adding")).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(/^Step 4, 'see Milk': this text is not on the page\. .*button "Add"/),
    });
    const [picture = ""] = of("user_flows/adding").evidence;
    const answer = await read(picture);
    expect(answer.headers["content-type"]).toBe("image/png");
    expect(answer.rawPayload.subarray(1, 4).toString()).toBe("PNG");
  });

  test("its mended twin passes; what is not understood, or cannot fail, is not green", async () => {
    const { status, of } = await run(false);
    expect(status).toBe("deployed");
    expect(of("user_flows/adding")).toMatchObject({ verdict: "passed" });
    expect(of("ux_flows/0")).toMatchObject({
      verdict: "not_checked",
      reason: expect.stringMatching(/^Step 1, 'the user is delighted', is not understood/),
    });
    expect(of("ux_flows/1")).toMatchObject({ verdict: "not_checked", reason: expect.stringMatching(/^Nothing in it/) });
  });
});
