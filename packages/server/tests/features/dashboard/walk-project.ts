import { expect, test } from "vitest";
import { countingServer } from "../../support/deployments/app-calls.ts";
import { untilEnded, untilProject } from "../../support/engine/follow.ts";
import type { Desk } from "./desk.ts";

/** Walks through what the page of a project shows and does. */
export function walkProject({ app, play, page, open, sees, expectSound, confirm }: Desk): void {
  const project = { good: "", bad: "" };
  const tab = (name: string) =>
    page.getByRole("navigation", { name: "Parts of the project" }).getByRole("link", { name, exact: true }).click();

  test("shows the graph of a project's work and one task by its address", async () => {
    project.good = await play({ id: "shop", name: "Shop", scripts: { start: countingServer("one") } });
    await untilEnded(app, project.good);
    await open(`/projects/${project.good}`);
    const task = page.locator(".graph-task").first();
    await task.waitFor();
    expect(await page.locator(".graph-edges path").count()).toBeGreaterThan(0);
    await task.click();
    await page.getByRole("region", { name: /^Task / }).waitFor();
    expect(new URL(page.url()).searchParams.get("task")).toBeTruthy();
    await expectSound("task");
  });

  test("shows when attempts ran, what they cost, and what scan and tests found", async () => {
    await tab("Timeline");
    await page.locator(".timeline-bar").first().waitFor();
    await expectSound("timeline");
    await tab("Costs");
    await sees("By agent");
    await expectSound("costs");
    await tab("Security");
    await page
      .getByText(/No findings|Security findings/)
      .or(page.getByRole("region", { name: "Security findings" }))
      .first()
      .waitFor();
    await expectSound("security");
    await tab("Tests");
    await page.locator(".facts-line .chip, main p.faint").first().waitFor();
    await expectSound("tests");
  });

  test("browses the files of a project, shows one, and compares checkpoints", async () => {
    await tab("Artifacts");
    await page
      .locator("details", { hasText: "source/" })
      .first()
      .evaluate((folder: HTMLDetailsElement) => {
        folder.open = true;
      });
    await page.locator(".files a", { hasText: ".txt" }).first().click();
    await page.locator(".viewer pre").waitFor();
    await expectSound("file");
    const first = page.getByLabel("Compared with").locator("option").last();
    await page.getByLabel("Compared with").selectOption(await first.getAttribute("value"));
    await page.locator("section[aria-label='Changed files'] a").first().click();
    await page.locator(".diff-added").first().waitFor();
    await expectSound("compared");
  });

  test("says what changed since the last good run, and compares the documents", async () => {
    const scripts = { start: "exit 3" };
    project.bad = await play({ id: "shop", name: "Shop", scripts });
    expect(await untilEnded(app, project.bad)).toMatchObject({ status: "failed" });
    await open(`/projects/${project.bad}`);
    const panel = page.getByRole("region", { name: "Why it failed" });
    await panel.getByText("Since the last good run").waitFor();
    await panel.getByRole("link", { name: "Compare the documents" }).click();
    await page.locator(".diff-removed", { hasText: "start" }).waitFor();
    await expectSound("document-diff");
  });

  test("retries a task with all that follows, restarts, and rolls back", async () => {
    await open(`/projects/${project.bad}`);
    await page.locator(".graph-task").first().click();
    const panel = page.getByRole("region", { name: /^Task / });
    await panel.getByRole("button", { name: "Retry task" }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByLabel("Also run every task again that depends on it").check();
    await expectSound("retry");
    await dialog.getByRole("button", { name: "Retry", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await untilEnded(app, project.bad);
    await page.locator(".title .chip", { hasText: "Failed" }).waitFor();
    await confirm("Restart from…", "Restart", async (asked) => {
      await asked.getByRole("combobox").selectOption("validation");
    });
    await untilEnded(app, project.bad);
    await confirm("Roll back…", "Roll back", async () => undefined);
    await untilProject(app, project.bad, ({ status, waiting_for }) => status !== "failed" || waiting_for !== null);
  });
}
