import { expect, test } from "vitest";
import { readProject, tasksOf, untilAsked, untilEnded } from "../../support/engine/follow.ts";
import type { Script } from "../../support/engine/scripted-agent.ts";
import type { Desk } from "./desk.ts";

/** An agent that says so when it has begun a task, and goes on when it may. */
function heldAgent() {
  const begun = Promise.withResolvers<void>();
  const letGo = Promise.withResolvers<void>();
  let count = 0;
  const script: Script = async ({ task, onStatus, signal }) => {
    if (task.role === "planner") return undefined;
    count += 1;
    onStatus(`begins for the ${count}. time`);
    begun.resolve();
    const stopped = new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    await Promise.race([letGo.promise, stopped]);
    return undefined;
  };
  return { script, begun: begun.promise, letGo: () => letGo.resolve(), count: () => count };
}

/** Assigns, drains and restarts agents by the buttons of their cards. */
export function actOnAgents({ app, play, agentId, page, open, confirm, complaints }: Desk): void {
  const card = (name: string) => page.locator(".card", { has: page.getByRole("heading", { name, exact: true }) });

  test("gives a role of a project to another agent", async () => {
    const id = await play({ name: "Given away" }, undefined, { query: "?review_plan=true" });
    await untilAsked(app, id);
    await open("/agents");
    await card("second").getByRole("button", { name: "Assign…" }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByLabel("Project").selectOption({ label: "Given away" });
    const role = await dialog.getByLabel("Role").inputValue();
    await dialog.getByRole("button", { name: "Assign", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await readProject(app, id)).agents[role]).toBe(await agentId("second"));
    await open(`/projects/${id}`);
    await page.locator(".project-agents").getByText(`${role}: second`).waitFor();
    await confirm("Cancel", "Cancel the project", async () => undefined);
    await untilEnded(app, id);
  });

  test("shows what a busy agent says, drains it, and makes it idle without being asked again", async () => {
    await open("/agents");
    const held = heldAgent();
    const id = await play({ name: "Held" }, held.script);
    await held.begun;
    const busy = page.locator(".card", { hasText: "begins for the 1. time" });
    await busy.locator(".chip", { hasText: "busy" }).waitFor();
    const name = (await busy.getByRole("heading").textContent())!;
    await card(name).getByRole("button", { name: "Drain and restart" }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("button", { name: "Restart", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await card(name).locator(".chip", { hasText: "draining" }).waitFor();
    held.letGo();
    await untilEnded(app, id);
    await card(name).locator(".chip", { hasText: "idle" }).waitFor();
    expect(held.count()).toBe(1);
  });

  test("restarts an agent at once: its task begins again, and that counts as no attempt", async () => {
    const held = heldAgent();
    const id = await play({ name: "Interrupted" }, held.script);
    await held.begun;
    const busy = page.locator(".card", { hasText: "begins for the 1. time" });
    await busy.getByRole("button", { name: "Restart now" }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("button", { name: "Restart", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await page.locator(".card", { hasText: "begins for the 2. time" }).waitFor();
    held.letGo();
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const built = (await tasksOf(app, id)).find(({ role }) => role !== "planner")!;
    expect(built.attempts.filter(({ outcome }) => outcome === "failed")).toEqual([]);
    expect(complaints).toEqual([]);
  });
}
