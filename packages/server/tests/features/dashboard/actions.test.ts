// @module-tag soak
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
  describe("on agents, webhooks and access", { tags: "long" }, () => {
    actOnAgents(desk);
    actOnWebhooks(desk);
    actOnAccess(desk);
  });

  test("break no rule of the page", () => {
    expect(desk.complaints).toEqual([]);
  });

  test("have documentation, also for who is not signed in: each endpoint once, one of them whole", {
    tags: "long",
  }, async () => {
    const { page, open, expectSound, complaints } = desk;
    await page.context().clearCookies();
    await open("/docs");
    const heads = page.locator(".operation-head");
    await heads.first().waitFor();
    const { paths } = (await desk.app.call({ url: "/api/v1/openapi.json" })).json<{
      paths: Record<string, Record<string, { operationId: string }>>;
    }>();
    const ids = Object.values(paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    const once = ids.filter((id) => !id.endsWith("Alias"));
    expect(once.length).toBeLessThan(ids.length);
    expect(await heads.count()).toBe(once.length);
    await expectSound("docs");
    await page.getByRole("link", { name: /^POST \/api\/v1\/projects Create a project/ }).click();
    await page.waitForURL("**/docs?operation=createProject");
    await page.getByRole("region", { name: "Parameters" }).getByText("review_plan").waitFor();
    await page.locator(".answers > li", { hasText: "201" }).getByText("project_id", { exact: true }).waitFor();
    await expectSound("docs-operation");
    await page.getByLabel("Search endpoints").fill("rotate");
    await page.waitForURL("**q=rotate");
    await expect.poll(() => heads.count()).toBe(once.filter((id) => /rotate/i.test(id)).length);
    expect(complaints).toEqual([]);
  });
});
