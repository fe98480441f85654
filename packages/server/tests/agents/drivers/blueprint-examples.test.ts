// @module-tag soak
import { readdirSync, readFileSync } from "node:fs";
import { builtInPlugin } from "@slipway/blueprints";
import type { AcceptanceReport, Approval } from "@slipway/contract";
import { parseSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { eventsOf, submit, untilEnded, untilProject } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp({ engine: {} });

const folder = new URL("../../../../../examples/", import.meta.url);
const types = builtInPlugin.outcome_types.map(({ name }) => name);
// README's first command takes the one of an api, as a person does.
const examples = ["library", ...types.filter((name) => name !== "api" && name !== "library")];

test("there is an example of every outcome type that can be built", () => {
  const known = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => parseSpec(readFileSync(new URL(file, folder), "utf8")).document?.outcome_type);
  expect(known).toEqual(expect.arrayContaining(types));
});

test.for(soakCases(examples))(
  "the example of %s is built, tested and live, without a model or a network",
  { tags: "long" },
  async (name) => {
    const id = await submit(app, unhurried(readFileSync(new URL(`${name}.yaml`, folder), "utf8")));
    const { status, error } = await untilEnded(app, id);
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    // Its own tests, their coverage, its requests and commands are lines of the document. Coverage of Python needs a package.
    const { lines } = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
    const isChecked = ({ reason }: { reason: string | null }) => reason?.includes("which is not installed") !== true;
    expect(lines.filter((line) => line.verdict !== "passed" && isChecked(line))).toEqual([]);
    const deployed = (await eventsOf(app, id)).find(({ event }) => event === "project.deployed");
    const url = String(deployed?.data["url"]);
    // A program for the terminal, a library or a set of files is not live anywhere.
    if (url !== "") expect((await fetch(url)).status).toBeLessThan(500);
  },
);

/** How fast a result is depends on what else the machine does: here it is measured, and any number will do. */
function unhurried(document: string): string {
  return document
    .replace(/(response_time_p\d+_ms): .*/g, "$1: 60000")
    .replace(/requests_per_second: .*/g, "requests_per_second: 1");
}

// The large one has twenty tasks, and each is verified.
test.for(soakCases(["diamond", "phases-and-environments"]))(
  "the example %s runs as it is written for whoever has just installed the service",
  async (name) => {
    const id = await submit(app, readFileSync(new URL(`${name}.yaml`, folder), "utf8"));
    if (name === "diamond") {
      await untilProject(app, id, ({ waiting_for }) => waiting_for === "approval");
      const { approvals } = (await app.call({ url: `/api/v1/projects/${id}/approvals` })).json<{
        approvals: Approval[];
      }>();
      const url = `/api/v1/approvals/${approvals[0]!.approval_id}`;
      const answer = await app.call({ method: "POST", url, payload: { decision: "approve" } });
      expect(answer.statusCode, answer.body).toBe(200);
    }
    const { status, error } = await untilEnded(app, id);
    expect({ status, error }).toEqual({ status: "deployed", error: null });
  },
);

test("the large example asks for no agent and no secret that a newcomer does not have", async () => {
  const document = readFileSync(new URL("phases-and-environments.yaml", folder), "utf8");
  const answer = await app.call({
    method: "POST",
    url: "/api/v1/projects?dry_run=true",
    headers: { "content-type": "application/yaml" },
    payload: document,
  });
  expect(answer.statusCode, answer.body).toBe(200);
  const { roles, secrets, unmet } = answer.json<{
    roles: { availability: string }[];
    secrets: { is_found: boolean }[];
    unmet: { pointer: string }[];
  }>();
  expect(roles.map(({ availability }) => availability)).not.toContain("unknown");
  expect(secrets.filter(({ is_found }) => !is_found)).toEqual([]);
  expect(unmet.filter(({ pointer }) => pointer.startsWith("/scripts"))).toEqual([]);
});
