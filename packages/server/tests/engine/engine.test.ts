// @module-tag long
import { expect, test } from "vitest";
import { eventsOf, submit, tasksOf, untilEnded } from "../support/engine/follow.ts";
import { scriptedAgent } from "../support/engine/scripted-agent.ts";
import { createTestApp } from "../support/test-app.ts";

const app = await createTestApp({ engine: { agents: [scriptedAgent()], retryDelayMs: () => 0 } });

const diamond = `
spec_version: "1.0.0"
id: diamond
name: Diamond
description: Four phases in a diamond.
outcome_type: api
stack: {}
acceptance: {}
scripts:
  build: test -f left.txt
  test: test -f bottom.txt
phases:
  top: { features: [top] }
  left: { features: [left], depends_on: [top] }
  right: { features: [right], depends_on: [top] }
  bottom: { features: [bottom], depends_on: [left, right] }
`;

test("a document with four phases in a diamond is carried out from its plan to its end", async () => {
  const id = await submit(app, diamond);
  const project = await untilEnded(app, id);
  expect(project).toMatchObject({ status: "deployed", progress: 1, error: null, waiting_for: null });
  const events = await eventsOf(app, id);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  const phases = events.filter(({ event }) => event === "project.phase_completed").map(({ data }) => data["phase"]);
  expect(phases[0]).toBe("planning");
  expect(phases[1]).toBe("top");
  expect(phases.slice(2, 4).toSorted()).toEqual(["left", "right"]);
  expect(phases.slice(4)).toEqual(["bottom", "validation", "deployment"]);
  expect(events.at(-1)?.event).toBe("project.deployed");
  const tasks = await tasksOf(app, id);
  expect(tasks.map(({ status }) => status)).toEqual(tasks.map(() => "completed"));
});
