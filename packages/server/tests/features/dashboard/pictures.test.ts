import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, test } from "vitest";
import { findBrowser } from "../../../src/verification/browser/find-browser.ts";
import { countingServer } from "../../support/deployments/app-calls.ts";
import { submit, untilAsked, untilEnded } from "../../support/engine/follow.ts";
import { openDesk } from "./desk.ts";

/** Where the pictures of the documentation go: `npm run screenshots`. Without it none is taken, and the tree stays as it is. */
const folder = process.env["SLIPWAY_PICTURES"];
const program = folder === undefined ? undefined : await findBrowser();

const failing = `spec_version: "1.0.0"
id: reports
name: Monthly reports
description: Sums up what was sold in a month.
outcome_type: cli
stack: {}
acceptance:
  commands:
    - node report.js --month 2026-10 → 0
`;

describe.skipIf(program === undefined)("the pictures of the documentation", async () => {
  if (program === undefined) return;
  const { app, play, page, open, sees, link } = await openDesk(program);
  const take = async (name: string) => {
    await mkdir(folder!, { recursive: true });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.screenshot({ path: join(resolve(folder!), `dashboard-${name}-${colorScheme}.png`) });
    }
  };

  test("show projects, why one failed, its work, and the editor", async () => {
    await page.setViewportSize({ width: 1200, height: 680 });
    await page.goto(await link());
    const scripts = { start: countingServer("shop") };
    await untilEnded(app, await play({ id: "shop", name: "Shop", scripts }));
    const failedId = await submit(app, failing);
    await untilEnded(app, failedId);
    const asked = { id: "payments", name: "Payments" };
    await untilAsked(app, await play(asked, undefined, { query: "?review_plan=true" }));

    await open("/");
    await page.locator(".project-row").nth(2).waitFor();
    await take("projects");
    await open(`/projects/${failedId}`);
    await page.getByRole("region", { name: "Why it failed" }).getByText("Evidence:").first().waitFor();
    await page.locator(".graph-task").first().waitFor();
    await take("failure");
    await open("/new");
    await sees("The document is valid.");
    const editor = page.getByLabel("The document");
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("g");
    await page.getByRole("option", { name: "guardrails", exact: true }).waitFor();
    await take("editor");
  });
});
