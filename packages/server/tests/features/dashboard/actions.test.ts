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

  // Swagger UI takes most of a minute of a busy machine to draw the description: what we hand it is looked at, not its drawing.
  test("have documentation that is given each endpoint once, in the colours that somebody chose", async () => {
    const { page, open } = desk;
    const stub = "globalThis.SwaggerUIBundle = ({ spec }) => { globalThis.given = spec.paths; };";
    await page.route("**/swagger-ui-bundle.js", (route) =>
      route.fulfill({ contentType: "text/javascript", body: stub }),
    );
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: "dark" });
    await open("/docs");
    await page.waitForFunction("globalThis.given !== undefined");
    const ids = await page.evaluate(() => {
      const { given } = globalThis as unknown as { given: Record<string, Record<string, { operationId: string }>> };
      return Object.values(given).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
    });
    expect(ids).toContain("listProjects");
    expect(ids.filter((id) => id.endsWith("Alias"))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(await background()).toBe("rgb(20, 23, 28)");
    await page.emulateMedia({ colorScheme: "light" });
    await expect.poll(background).toBe("rgb(255, 255, 255)");
    await page.evaluate(() => localStorage.setItem("slipway-theme", "dark"));
    await page.reload();
    await page.locator("html.dark-mode").waitFor();
    expect(await background()).toBe("rgb(20, 23, 28)");
  });
});
