import { expect, test } from "vitest";
import { countingServer, deploymentCalls, read } from "../../support/deployments/app-calls.ts";
import { readProject, tasksOf, untilAsked, untilEnded } from "../../support/engine/follow.ts";
import { until } from "../../support/until.ts";
import type { Desk } from "./desk.ts";

/** Decides, retries, promotes and rolls back by the buttons of the pages. */
export function actOnProjects({ app, play, page, open, confirm }: Desk): void {
  test("lets a person confirm the lines that nobody checked", async () => {
    const id = await play({ acceptance: { tone: "friendly" }, guardrails: { unverified: "ask" } });
    await untilAsked(app, id);
    await open(`/projects/${id}`);
    const asked = page.getByRole("region", { name: "Shall the result go live?" });
    await asked.getByLabel(/tone/).check();
    await asked.getByLabel("Comment").fill("I have read it.");
    await asked.getByRole("button", { name: "Approve" }).click();
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", checks: { not_checked: 0 } });
    await open(`/projects/${id}?tab=acceptance`);
    const line = page.locator(".report-passed", { hasText: "tone" });
    await line.getByText(/confirmed it: I have read it\./).waitFor();
  });

  test("retries the task that failed, alone", { tags: "long" }, async () => {
    let isMended = false;
    const id = await play({ name: "Mended" }, ({ task }) =>
      isMended || task.role === "planner"
        ? undefined
        : { is: "failed", code: "agent_failed", message: "Out of paper." },
    );
    const { error } = await untilEnded(app, id);
    isMended = true;
    await open(`/projects/${id}`);
    await page.getByRole("region", { name: "Why it failed" }).getByText("Out of paper.").first().waitFor();
    await confirm("Retry task", "Retry", async (dialog) => {
      expect(await dialog.getByLabel("Also run every task again that depends on it").isChecked()).toBe(false);
    });
    await page.locator(".title .chip", { hasText: "Deployed" }).waitFor();
    const retried = (await tasksOf(app, id)).find(({ task_id }) => task_id === error!.task_id)!;
    expect(retried.attempts.at(-1)).toMatchObject({ outcome: "completed" });
  });

  test("makes an earlier version live again, restarts it, and promotes it", { tags: "long" }, async () => {
    const environments = { dev: { auto_deploy: true }, staging: {} };
    const submit = (name: string) =>
      play({ id: "store", name: "Store", scripts: { start: countingServer(name) }, environments });
    await untilEnded(app, await submit("one"));
    const { application_id } = await untilEnded(app, await submit("two"));
    const dev = deploymentCalls(app, application_id, "dev");
    const first = (await dev.read()).releases.find(({ status }) => status === "retired")!;
    const { url } = await dev.read();
    await open(`/applications/${application_id}`);
    await confirm("Roll back…", "Roll back", (dialog) =>
      dialog
        .getByLabel("Version")
        .selectOption(first.release_id)
        .then(() => undefined),
    );
    const live = page.getByRole("region", { name: "Deployment dev" });
    await live.locator("tr", { hasText: first.version }).locator(".chip", { hasText: "live" }).waitFor();
    expect(await read(url!)).toBe("one");

    const before = await read(url!, "/pid");
    await live.getByRole("button", { name: "Restart", exact: true }).click();
    await until(async () => /^\d+$/.test(await read(url!, "/pid")) && (await read(url!, "/pid")) !== before);

    await confirm("Promote…", "Deploy", (dialog) =>
      dialog
        .getByLabel("Environment")
        .selectOption("staging")
        .then(() => undefined),
    );
    const staging = deploymentCalls(app, application_id, "staging");
    const promoted = await until(async () => {
      const deployment = await staging.read();
      return deployment.status === "live" ? deployment : undefined;
    });
    expect(promoted.release).toMatchObject({ project_id: first.project_id });
    expect(await read(promoted.url!)).toBe("one");
    await page
      .getByRole("region", { name: "Deployment staging" })
      .locator(".title .chip", { hasText: "live" })
      .waitFor();
    await open(`/projects/${first.project_id}`);
    await page.locator(".chip", { hasText: "staging: live" }).waitFor();
    expect((await readProject(app, first.project_id)).status).toBe("deployed");
  });
}
