// @module-tag long
import { describe, expect, test } from "vitest";
import { findBrowser } from "../../../src/verification/browser/find-browser.ts";
import { untilEnded } from "../../support/engine/follow.ts";
import { openDesk } from "./desk.ts";

const program = await findBrowser();

/** What is asked of the service, and what it answers of a project as large as its limits allow. */
type Case = readonly [tab: string, asked: string, answer: (real: object) => unknown, drawn: string];

const task = (at: number, depends_on: string[], attempts: number) => ({
  ...{ task_id: `t${at}`, title: `Task ${at}`, phase: "implementation", role: "implementer", status: "queued" },
  ...{ agent_id: null, description: null, serves: [], depends_on },
  attempts: Array.from({ length: attempts }, (_, number) => ({
    ...{ number, agent_id: "agent_1", outcome: "failed", error: null },
    ...{ queued_at: "2026-11-15T09:30:00Z", started_at: null, ended_at: "2026-11-15T09:30:00Z" },
    usage: { input_tokens: null, output_tokens: null, cost_usd: null },
  })),
});
const list = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));
const line = (at: number) => ({
  ...{ pointer: `/a/${at}`, line: 1, title: "A line", verdict: "failed", reason: "", evidence: [], measured: [] },
  ...{ previous: null, answered_by: null },
});
const file = (path: string) => ({ path, size_bytes: 1, is_link: false, content_id: "1" });

const cases: readonly Case[] = [
  [
    "work",
    "tasks",
    () => ({ tasks: list(2_000, (at) => task(at, list(Math.min(at, 300), String), 0)), next_cursor: null }),
    ".graph-task",
  ],
  [
    "timeline",
    "tasks",
    () => ({ tasks: list(2_000, (at) => task(at, [], 70)), next_cursor: null }),
    ".timeline-bar, .timeline-queued",
  ],
  ["acceptance", "acceptance", (real) => ({ ...real, lines: list(10_000, line) }), ".report-line"],
  ["document", "spec", () => "\n".repeat(1_000_000), ".document li"],
  ["artifacts", "source-files", () => ({ files: list(10_000, (at) => file(`f${at}`)), files_total: 10_000 }), ".file"],
  ["artifacts", "source-files", () => ({ files: [file(`${"a/".repeat(2_000)}b`)], files_total: 1 }), ".file"],
];

describe.skipIf(program === undefined)("the page of a project", async () => {
  const { app, play, page, link, open, complaints } = await openDesk(program!);

  test.for(cases)("draws what answers of large results: %s, %s", async ([tab, asked, answer, drawn]) => {
    const id = await play({ id: "shop", name: "Shop", acceptance: { tone: "friendly" } });
    await untilEnded(app, id);
    await page.goto(await link());
    await page.route(new RegExp(`/projects/${id}/${asked}`), async (route) => {
      const real = await route.fetch();
      const isJson = real.headers()["content-type"]!.includes("json");
      const given = answer(isJson ? ((await real.json()) as object) : {});
      await route.fulfill({ response: real, body: typeof given === "string" ? given : JSON.stringify(given) });
    });
    await open(`/projects/${id}?tab=${tab}`);
    await page.locator(drawn).first().waitFor({ state: "attached" });
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(40_000);
    expect(complaints).toEqual([]);
  });
});
