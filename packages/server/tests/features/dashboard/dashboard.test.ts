// @module-tag soak
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { findBrowser } from "../../../src/verification/browser/find-browser.ts";
import { submit, untilEnded, untilProject } from "../../support/engine/follow.ts";
import type { Script } from "../../support/engine/scripted-agent.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { newPage } from "../../support/new-page.ts";
import { until } from "../../support/until.ts";
import { openDesk } from "./desk.ts";
import { walkEditor } from "./walk-editor.ts";
import { walkPlaces } from "./walk-places.ts";
import { walkProject } from "./walk-project.ts";

const program = await findBrowser();
if (program === undefined) console.warn("tests of the dashboard are skipped: there is no Chromium");

/** Whatever of it runs says so. */
const hostile = [
  `<img src=x onerror="window.hacked=1">`,
  `<script>window.hacked=1</script>`,
  `"><svg onload="window.hacked=1">`,
  `javascript:window.hacked=1`,
  `{{constructor.constructor('window.hacked=1')()}}`,
].join(" ");

describe.skipIf(program === undefined)("the dashboard", async () => {
  const desk = await openDesk(program!);
  const { app, play, door, address, browser, page, complaints, link, open, sees, expectSound } = desk;
  let failedId = "";

  test("asks who comes in, and lets nobody in by a wrong key", async () => {
    await open("/projects/proj_x");
    await sees("Sign in to Slipway");
    await page.getByLabel("Or paste an API key").fill("spec_sk_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await sees("The code or key is not valid");
    await expectSound("sign-in");
    // An address of nothing says so, to everybody.
    const lost = await newPage(browser);
    expect((await lost.goto(`${address}/agents/1`))?.status()).toBe(404);
    await lost.getByRole("heading", { name: "Not found" }).waitFor();
    await lost.context().close();
  });

  test("lets a browser in by a link, whose code stays nowhere, and shows how to begin", async () => {
    const signedIn = await link();
    await page.goto(signedIn);
    await sees("No projects yet");
    expect(page.url()).toBe(`${address}/`);
    await expectSound("empty");
    // Somebody who finds the link later: the code is spent.
    const other = await newPage(browser);
    await other.goto(signedIn);
    await other.getByText("Sign in to Slipway").waitFor();
    await other.context().close();
  });

  test("shows new projects without being asked, and finds them by what the address says", async () => {
    failedId = await play(
      { name: "Broken tool", outcome_type: "cli", acceptance: { commands: ["node missing.js → 0"] } },
      ({ onStatus }) => {
        onStatus("\u001b[31mred words\u001b[0m of the agent");
        return undefined;
      },
      { indent: 2 },
    );
    // In words, and in files whose kind could run them.
    const sayHostile: Script = async ({ onStatus, folder, task }) => {
      onStatus(hostile);
      if (task.role === "planner") return undefined;
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="window.hacked=1"><script>window.hacked=1</script></svg>`;
      await writeFile(join(folder, "a.svg"), svg);
      await writeFile(join(folder, "a.html"), `<!doctype html>${hostile}`);
      return { is: "done" };
    };
    await play({ name: hostile, description: hostile }, sayHostile, { query: "?review_plan=true" });
    await sees("Broken tool");
    await sees("Needs approval");
    await untilEnded(app, failedId);
    await page.locator(".project-row", { hasText: "Broken tool" }).locator(".chip", { hasText: "Failed" }).waitFor();
    await expectSound("projects");
    await page.keyboard.press("/");
    await page.keyboard.type("Broken");
    await page.waitForURL("**/?q=Broken");
    await page.locator(".project-row").first().waitFor();
    await expect.poll(() => page.locator(".project-row").count()).toBe(1);
    await open("/?status=deployed");
    await sees("No project matches.");
  });

  test("says why a project failed within three clicks from the list", async () => {
    await open("/");
    // The first click: everything that a person needs stands on the page it leads to.
    await page.getByRole("link", { name: "Broken tool" }).click();
    const panel = page.getByRole("region", { name: "Why it failed" });
    await panel.getByText("Cannot find module").first().waitFor();
    await panel.locator(".source-line", { hasText: "node missing.js → 0" }).waitFor();
    await panel.getByRole("link", { name: "logs/validation.log" }).first().waitFor();
    await panel.locator(".log-tail", { hasText: "MODULE_NOT_FOUND" }).waitFor();
    await panel.getByText(/^Correct the lines above/).waitFor();
    await expectSound("failed");
    // The second leads to the line in the document, and back on the panel another to the evidence.
    await panel.locator(".source-line").first().click();
    await page.locator(".document .is-wanted", { hasText: "node missing.js → 0" }).waitFor();
    expect(new URL(page.url()).searchParams.get("tab")).toBe("document");
    await expectSound("document");
    await page.goBack();
    await panel.getByRole("link", { name: "Correct the document" }).click();
    await page.getByLabel("The document").getByText("Broken tool").waitFor();
    await page.goBack();
  });

  test("shows verdicts beside lines, logs in their colours, artifacts and events", async () => {
    await page.getByRole("link", { name: "Acceptance", exact: true }).click();
    await page.locator(".report-failed").first().waitFor();
    await expectSound("acceptance");
    await page.locator(".report-failed .evidence").first().click();
    await page.locator(".viewer pre, .viewer img").first().waitFor();
    await expectSound("artifacts");
    await page.getByRole("link", { name: "Logs", exact: true }).click();
    await page.locator(".log-line .ansi-1", { hasText: "red words" }).first().waitFor();
    await page.getByLabel("Search the log").fill("red words");
    await expect.poll(() => page.locator(".log-line").count()).toBeGreaterThan(0);
    await page.locator(".log-time").first().click();
    await page.locator(".log-line.is-wanted").waitFor();
    await expectSound("logs");
    await page.getByRole("link", { name: "Events", exact: true }).click();
    await page.getByRole("link", { name: /project\.failed/ }).click();
    await page
      .getByRole("region", { name: /^Event / })
      .getByText("acceptance_failed")
      .waitFor();
    await expectSound("events");
  });

  test("asks before it changes something, and shows what came of it", async () => {
    await page.getByRole("link", { name: "Work", exact: true }).click();
    await page.locator(".phase-failed").waitFor();
    await expectSound("work");
    await page.getByRole("button", { name: "Restart from…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox").selectOption("validation");
    await dialog.getByRole("button", { name: "Back" }).click();
    const held = await submit(app, documentOf({ id: "held", name: "Held" }), "?review_plan=true");
    await untilProject(app, held, ({ waiting_for }) => waiting_for === "approval");
    await open(`/projects/${held}`);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.locator(".title .chip", { hasText: "Paused" }).waitFor();
    await page.getByRole("button", { name: "Resume" }).click();
    await page.locator(".title .chip", { hasText: "Needs approval" }).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Cancel the project" }).click();
    await page.locator(".title .chip", { hasText: "Cancelled" }).waitFor();
    await sees("Somebody cancelled it.");
  });

  test("runs nothing of what a project says of itself", async () => {
    await open("/");
    await page.getByRole("link", { name: "<img src=x" }).click();
    await sees("Shall this plan be carried out?");
    await expectSound("approval");
    for (const [tab, content] of [
      ["Document", ".document code"],
      ["Events", ".event"],
      ["Acceptance", ".report-line, main > .page > p"],
      ["Logs", ".log-line"],
    ] as const) {
      await page.getByRole("link", { name: tab, exact: true }).click();
      await page.locator(content).first().waitFor();
    }
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
    expect(await page.locator("main img, main script, main svg[onload]").count()).toBe(0);
  });

  test("takes a decision, and follows what happens then", async () => {
    await page.getByLabel("Comment").fill("Good.");
    await page.getByRole("button", { name: "Approve" }).click();
    await page.locator(".title .chip", { hasText: /Deployed|Failed/ }).waitFor();
    for (const [name, shown] of [
      ["a.html", ".viewer pre"],
      ["a.svg", ".viewer img"],
    ] as const) {
      const url = new URL(page.url());
      await open(`${url.pathname}?tab=artifacts&path=source/${name}`);
      await page.locator(shown).waitFor();
    }
    expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  });

  test("goes on by itself after the service was away", async () => {
    await open("/");
    await sees("Broken tool");
    await door.shut();
    await sees("Reconnecting…");
    await play({ name: "Made meanwhile" });
    await door.open();
    await sees("Made meanwhile");
    await sees("Live");
  });

  describe("its editor, its pages of a project and its other pages", { tags: "long" }, () => {
    walkEditor(desk);
    walkProject(desk);
    walkPlaces(desk);
  });

  test("holds few of ten thousand projects at a time, and reads on as somebody scrolls", async () => {
    await sql`
      insert into projects (id, application_id, owner_id, document_id, name, outcome_type, last_sequence)
      select 'proj_0' || lpad(n::text, 19, '0'), application_id, owner_id, document_id, 'Old ' || n, outcome_type, 1
      from projects, generate_series(1, 10000) n where id = ${failedId}`.execute(app.db);
    await open("/");
    await sees("Old 10000");
    const list = page.locator(".projects");
    await until(() =>
      list.evaluate((box) => {
        box.scrollTo(0, box.scrollHeight);
        const numbers = [...box.textContent.matchAll(/Old (\d+)/g)].map(([, number]) => Number(number));
        return Math.min(...numbers) < 9800;
      }),
    );
    expect(await page.locator(".project-row").count()).toBeLessThan(60);
  });

  test("does not follow somebody else's link, and says so; one's own is followed", { tags: "long" }, async () => {
    const { token } = await app.userToken("svc:user");
    await open("/");
    await sees("admin");
    await page.goto(await link("/", token));
    await sees("The link signs in somebody else, and was not followed.");
    expect(page.url()).toBe(`${address}/`);
    await expectSound("refused link");
    await page.goto(await link());
    await page.getByText("was not followed").waitFor({ state: "detached" });
  });

  test("shows its keys, and lets go of who signs out", async () => {
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    await expectSound("keyboard");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Sign out" }).click();
    await sees("Sign in to Slipway");
    await page.reload();
    await sees("Sign in to Slipway");
    expect(complaints).toEqual([]);
  });
});
