import { type EventName, type EventRecord, eventData, eventNames } from "@slipway/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, test } from "vitest";
import { checkpointsOf, command, decide, eventsOf, untilAsked, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { openEventStream } from "../../support/event-stream.ts";
import { until } from "../../support/until.ts";

const { app, play } = await createStage();

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

/** Everything that was told, by project. */
const stories = new Map<string, EventRecord[]>();
const told = () => [...stories.values()].flat();

beforeAll(async () => {
  const gated = {
    guardrails: { deployment: { human_approval_required: ["any"] } },
    phases: { one: {}, two: { depends_on: ["one"] } },
  };
  const flaky = await play(gated, ({ task, attempt }) =>
    task.id === "build-two" && attempt === 1 ? { is: "failed", code: "x", message: "X." } : undefined,
  );
  await decide(app, await untilAsked(app, flaky), { decision: "approve" });
  await untilEnded(app, flaky);
  await command(app, flaky, "restart", { from_phase: "two" });
  await untilAsked(app, flaky);
  const [{ checkpoint_id } = { checkpoint_id: "" }] = await checkpointsOf(app, flaky);
  await command(app, flaky, "rollback", { checkpoint: checkpoint_id });
  await decide(app, await untilAsked(app, flaky), { decision: "approve" });
  await untilEnded(app, flaky);
  const broken = await play({ scripts: { test: "exit 1" } });
  await untilEnded(app, broken);
  const unfit = await play({ outcome_type: "game" });
  await untilEnded(app, unfit);
  const cancelled = await play(gated);
  await command(app, cancelled, "cancel");
  for (const id of [flaky, broken, unfit, cancelled]) stories.set(id, await eventsOf(app, id));
});

/** The same schema, with every object closed to what it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, closed(part)]));
  return "properties" in parts ? { ...parts, additionalProperties: false } : parts;
}

/** What others tell of. */
const toldElsewhere: readonly EventName[] = [
  "security.issue_detected",
  "deployment.completed",
  "deployment.failed",
  "deployment.unhealthy",
  "deployment.recovered",
  "deployment.rolled_back",
];

describe.each(eventNames.filter((name) => !toldElsewhere.includes(name)))("%s", (name) => {
  test("is told, and its data is as promised and no more", () => {
    const data = told()
      .filter(({ event }) => event === name)
      .map((record) => record.data);
    expect(data.length).toBeGreaterThan(0);
    const validate = ajv.compile(closed(structuredClone(eventData[name])) as object);
    for (const one of data)
      expect(validate(one), `${JSON.stringify(one)} ${ajv.errorsText(validate.errors)}`).toBe(true);
  });
});

test("each project's events are gapless from 1, and begin with its creation", () => {
  for (const events of stories.values()) {
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
    expect(events[0]?.event).toBe("project.created");
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
  }
});

test("a phase is over after its tasks, and the end of all comes last", () => {
  for (const events of stories.values()) {
    const last = events.at(-1)?.event;
    expect(["project.deployed", "project.failed"]).toContain(last);
    for (const [at, { event, data }] of events.entries()) {
      if (event !== "project.phase_completed") continue;
      const before = events.slice(0, at).map((other) => other.data["phase"]);
      expect(before).toContain(data["phase"]);
    }
  }
});

test("the next phase is the first in order that is still to be done, and empty after the last", () => {
  const [flaky] = [...stories.values()];
  const pairs = flaky!
    .filter(({ event }) => event === "project.phase_completed")
    .map(({ data }) => `${data["phase"]} → ${data["next_phase"]}`);
  expect(pairs.slice(0, 5)).toEqual([
    "planning → one",
    "one → two",
    "two → validation",
    "validation → deployment",
    "deployment → ",
  ]);
});

test("who watches the stream sees the same as who reads the history, as it happens", async () => {
  const address = await app.http.listen({ port: 0, host: "127.0.0.1" });
  const gate = Promise.withResolvers<void>();
  const id = await play({}, async ({ task }) => {
    if (task.role === "implementer") await gate.promise;
    return undefined;
  });
  const stream = await openEventStream(`${address}/api/v1/projects/${id}/events`, {
    authorization: `Bearer ${app.adminToken}`,
  });
  const seen = [];
  for (let name = ""; name !== "project.deployed"; ) {
    const next = await stream.next();
    if (next.event === "project.phase_completed") gate.resolve();
    seen.push(next.data);
    name = next.event;
  }
  expect(seen).toEqual(await eventsOf(app, id));
});

test("a read that waits is answered when the project goes on", async () => {
  const gate = Promise.withResolvers<void>();
  let hasBegun = false;
  const id = await play({}, async ({ task }) => {
    if (task.role !== "implementer") return undefined;
    hasBegun = true;
    await gate.promise;
    return undefined;
  });
  await until(() => hasBegun);
  const { etag } = (await app.call({ url: `/api/v1/projects/${id}` })).headers;
  const headers = { prefer: "wait=30", "if-none-match": String(etag) };
  const waiting = app.call({ url: `/api/v1/projects/${id}`, headers });
  gate.resolve();
  expect((await waiting).statusCode).toBe(200);
  await untilEnded(app, id);
});
