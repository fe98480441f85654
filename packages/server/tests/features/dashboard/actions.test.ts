import { describe, expect, test } from "vitest";
import { findBrowser } from "../../../src/verification/browser/find-browser.ts";
import { actOnAccess } from "./act-on-access.ts";
import { actOnAgents } from "./act-on-agents.ts";
import { actOnProjects } from "./act-on-projects.ts";
import { actOnWebhooks } from "./act-on-webhooks.ts";
import { openDesk } from "./desk.ts";

const program = await findBrowser();
if (program === undefined) console.warn("tests of the dashboard's actions are skipped: there is no Chromium");

describe.skipIf(program === undefined)("the dashboard's actions", async () => {
  const desk = await openDesk(program!, { agents: [{}, { name: "second" }] });

  test("are there for whoever is signed in", async () => {
    await desk.page.goto(await desk.link());
    await desk.sees("No projects yet");
  });

  actOnProjects(desk);
  actOnAgents(desk);
  actOnWebhooks(desk);
  actOnAccess(desk);

  test("break no rule of the page", () => {
    expect(desk.complaints).toEqual([]);
  });
});
