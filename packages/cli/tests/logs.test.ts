import { describe, expect, test } from "vitest";
import { FakeService, projectId } from "./fake-service.ts";
import { slipway } from "./run-slipway.ts";

const line = (text: string) => ({
  at: "2026-11-15T09:30:07.000Z",
  source: "agent",
  task_id: "orders",
  attempt: 1,
  agent_id: "agent_1",
  text,
});

describe("slipway logs", () => {
  test("shows a project's lines without what a terminal would act on, and as JSON what the API answers", async () => {
    const service = await new FakeService().listen();
    const lines = [line("\u001b[31mred\u001b[0m"), line("bell\u0007")];
    service.answer("GET /logs", { lines, next_cursor: "2" });
    const { code, out } = await slipway(
      ["logs", "--project-id", projectId, "--service", "agent", "--task", "orders", "--tail", "2"],
      { env: service.env },
    );
    expect([code, out]).toEqual([0, "09:30:07 agent orders red\n09:30:07 agent orders bell\ufffd\n"]);
    expect(service.asked[0]?.url).toBe(`/api/v1/projects/${projectId}/logs?service=agent&tail=2&task=orders`);
    const json = await slipway(["logs", projectId, "--json"], { env: service.env });
    expect(
      json.out
        .trim()
        .split("\n")
        .map((text) => JSON.parse(text)),
    ).toEqual(lines);
  });

  test("shows the service's own log without a project", async () => {
    const service = await new FakeService().listen();
    const at = "2026-11-15T09:30:07.000Z";
    const lines = [{ at, level: "warn", service: "engine", text: "It waits.", detail: { port: 1 } }];
    service.answer("GET /api/v1/logs", { lines });
    const { code, out } = await slipway(["logs", "--service", "engine", "--tail", "5"], { env: service.env });
    expect([code, out]).toEqual([0, '09:30:07 engine warn It waits. {"port":1}\n']);
    expect(service.asked[0]?.url).toBe("/api/v1/logs?service=engine&tail=5");
  });

  test("refuses project options without a project", async () => {
    const { code, err } = await slipway(["logs", "--follow"]);
    expect([code, err]).toEqual([2, "slipway: --follow requires a project: name one with --project-id\n"]);
  });
});
