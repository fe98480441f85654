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

  test("have documentation that lists each endpoint once, in the colours that somebody chose", async () => {
    const { app, page, open } = desk;
    const { paths } = (await app.call({ url: "/api/v1/openapi.json" })).json<{ paths: Record<string, object> }>();
    const operations = Object.values(paths).flatMap((path) => Object.values(path) as { operationId: string }[]);
    const own = operations.filter(({ operationId }) => !operationId.endsWith("Alias"));
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "dark" });
    await open("/docs");
    await expect.poll(() => page.locator(".opblock").count()).toBe(own.length);
    expect(await page.locator(".opblock-summary-path", { hasText: /^\/v1\// }).count()).toBe(0);
    expect(await background()).toBe("rgb(20, 23, 28)");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(background).toBe("rgb(255, 255, 255)");
    await page.evaluate(() => localStorage.setItem("slipway-theme", "dark"));
    await page.reload();
    await page.locator("html.dark-mode .opblock").first().waitFor();
    expect(await background()).toBe("rgb(20, 23, 28)");
  });
});
