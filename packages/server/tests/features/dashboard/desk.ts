import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, expect } from "vitest";
import { buildDashboard, ownDashboard } from "../../../../../tools/build-dashboard.ts";
import { Door } from "../../support/door.ts";
import { createStage } from "../../support/engine/stage.ts";
import { newPage } from "../../support/new-page.ts";

/** One service and one browser that looks at it: whatever walks through the dashboard shares both. */
export type Desk = Awaited<ReturnType<typeof openDesk>>;

/** Opens the desk. Call it at the top of a test file. */
export async function openDesk(program: string, options: Parameters<typeof createStage>[0] = {}) {
  await buildDashboard(ownDashboard);
  const { app, play, agentId } = await createStage({ allowLocalWebhooks: true, ...options });
  const door = new Door(await app.http.listen({ host: "127.0.0.1", port: 0 }));
  const address = await door.open();
  const browser: Browser = await chromium.launch({
    executablePath: program,
    chromiumSandbox: process.getuid?.() !== 0,
    args: ["--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"],
  });
  afterAll(() => browser.close());
  const page = await newPage(browser);
  /** What the page should not have to say: errors, and what its policy stopped. */
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  return {
    ...{ app, play, agentId, door, address, browser, page, complaints },
    expectSound: await soundness(page),
    link: async (path = "/", token?: string) => {
      const answer = await app.call({
        method: "POST",
        url: "/api/v1/auth/sign-in-codes",
        ...(token !== undefined && { token }),
      });
      return `${address}${path}#sign-in=${answer.json<{ code: string }>().code}`;
    },
    open: (path: string) => page.goto(`${address}${path}`),
    sees: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    /** Opens a dialog by its button, and confirms it. */
    confirm: async (
      button: string,
      action: string,
      fill: (dialog: Locator) => Promise<void>,
      within: Page | Locator = page,
    ) => {
      await within.getByRole("button", { name: button, exact: true }).first().click();
      const dialog = page.locator("dialog[open]");
      await fill(dialog);
      await dialog.getByRole("button", { name: action, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    },
  };
}

const views = [
  [1280, "light"],
  [390, "dark"],
] as const;
const isLong = process.env["SLIPWAY_LONG"] === "1";

/** In both themes and at both widths, in the suite by turns: nothing that people with disabilities stumble over, nothing wider than the screen. */
async function soundness(page: Page) {
  const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  const pictures = process.env["SLIPWAY_SCREENSHOTS"];
  let looks = 0;
  return async (name: string) => {
    looks += 1;
    for (const [width, colorScheme] of isLong || pictures !== undefined ? views : [views[looks % views.length]!]) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}-${colorScheme}.png` });
      expect
        .soft(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), name)
        .toBeLessThanOrEqual(0);
      // By the protocol, which the page's policy does not bind.
      if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(`${axe}; undefined`);
      const found = await page.evaluate(async () => {
        const { violations } = await (window as unknown as { axe: typeof import("axe-core") }).axe.run({
          // Names for all that passed would take half of the time.
          resultTypes: ["violations"],
        });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
      });
      expect.soft(found, `${name}, ${colorScheme}`).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  };
}
