import { expect, test } from "vitest";
import { submit, untilProject } from "../../support/engine/follow.ts";
import { documentOf } from "../../support/engine/stage.ts";
import { newPage } from "../../support/new-page.ts";
import { until } from "../../support/until.ts";
import { startReceiver } from "../../support/webhooks/receiver.ts";
import type { Desk } from "./desk.ts";

/** Walks through the places beside projects: approvals, applications, agents, webhooks, secrets, keys, users, audit. */
export function walkPlaces(desk: Desk): void {
  const receiving = startReceiver();
  const { app, agentId, browser, page, open, sees, expectSound, confirm, link } = desk;

  test("gathers what waits for a person, and takes the decision there", async () => {
    const id = await submit(app, documentOf({ id: "asked", name: "Asked for" }), "?review_plan=true");
    await untilProject(app, id, ({ waiting_for }) => waiting_for === "approval");
    await open("/approvals");
    const asked = page.locator(".panel", { hasText: "Asked for" });
    await asked.waitFor();
    await expectSound("approvals");
    await asked.getByRole("button", { name: "Deny" }).click();
    await asked.waitFor({ state: "detached" });
    await untilProject(app, id, ({ status }) => status === "failed");
  });

  test("shows what is live of an application, stops it, starts it and scales it", async () => {
    await open("/applications");
    await page.getByRole("link", { name: "shop" }).waitFor();
    await page.locator("tr", { hasText: "shop" }).locator(".chip").first().waitFor();
    await expectSound("applications");
    await page.getByRole("link", { name: "shop" }).click();
    const live = page.getByRole("region", { name: "Deployment default" });
    await live.locator(".title .chip", { hasText: "live" }).waitFor();
    await expectSound("application");
    await confirm("Stop", "Stop it", async () => undefined);
    await live.locator(".title .chip", { hasText: "stopped" }).waitFor();
    await live.getByRole("button", { name: "Start" }).click();
    await live.locator(".title .chip", { hasText: "live" }).waitFor();
    await confirm("Scale…", "Scale", (dialog) => dialog.getByLabel("Copies").fill("2"));
    await live.getByText("2 copies").waitFor();
  });

  test("shows how busy agents are, and restarts one when it is idle", async () => {
    await open("/agents");
    const card = page.locator(".card", { hasText: "scripted" });
    await card.locator(".sparkline").waitFor();
    await expectSound("agents");
    await confirm("Drain and restart", "Restart", async () => undefined);
    const id = await agentId("scripted");
    await until(async () => {
      const { status } = (await app.call({ url: `/api/v1/agents/${id}/status` })).json<{ status: string }>();
      return status === "idle";
    });
    await open("/agents");
    await card.locator(".chip", { hasText: "idle" }).waitFor();
  });

  test("registers a webhook, tests it, shows request and response, and sends again", async () => {
    const receiver = await receiving;
    await open("/webhooks");
    await confirm("New webhook…", "Register", async (dialog) => {
      await dialog.getByLabel("Address").fill(`${receiver.url}/hook`);
      await dialog.getByLabel(/^Secret/).fill("at-least-sixteen-characters");
    });
    await page.getByRole("link", { name: `${receiver.url}/hook` }).waitFor();
    await expectSound("webhooks");
    await page.getByRole("link", { name: `${receiver.url}/hook` }).click();
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.locator(".deliveries summary", { hasText: "webhook.test" }).click();
    await page.locator(".attempt pre", { hasText: "webhook-id" }).first().waitFor();
    await expectSound("webhook");
    const before = receiver.received.length;
    await page.getByRole("button", { name: "Redeliver" }).first().click();
    await expect.poll(() => receiver.received.length).toBe(before + 1);
    await confirm("Replay…", "Send them again", (dialog) => dialog.getByText(/events would be sent/).waitFor());
    await page.locator(".deliveries summary", { hasText: "project.created" }).first().waitFor();
    await confirm("Delete", "Delete it", async () => undefined);
    await sees(/^No webhooks/);
  });
  test("keeps secrets by name, and makes keys that are shown once", async () => {
    await open("/secrets");
    await confirm("Set a secret…", "Set it", async (dialog) => {
      await dialog.getByLabel("Name").fill("API_TOKEN");
      await dialog.getByLabel("Value").fill("never shown again");
    });
    await page.locator("td", { hasText: "API_TOKEN" }).waitFor();
    expect(await page.content()).not.toContain("never shown again");
    await expectSound("secrets");
    await open("/keys");
    await confirm("New key…", "Create it", (dialog) => dialog.getByLabel("Name").fill("Nightly"));
    await page.locator(".once", { hasText: "spec_sk_" }).waitFor();
    await page.locator("td", { hasText: "Nightly" }).waitFor();
    await expectSound("keys");
    await confirm("Revoke", "Revoke it", async () => undefined);
    await page.locator(".chip", { hasText: "revoked" }).waitFor();
  });

  test("manages users, shows who changed what, and how the installation is", async () => {
    await open("/users");
    await confirm("New user…", "Create them", async (dialog) => {
      await dialog.getByLabel("Name or e-mail address").fill("grace@example.com");
    });
    await page.locator("td", { hasText: "grace@example.com" }).waitFor();
    await confirm("New team…", "Create it", (dialog) => dialog.getByLabel("Name").fill("storefront"));
    await confirm("Add…", "Add them", async (dialog) => {
      await dialog.getByLabel("User").selectOption({ label: "grace@example.com" });
    });
    await page.getByRole("region", { name: "Teams" }).getByText("grace@example.com").waitFor();
    await confirm("New service account…", "Create it", async (dialog) => {
      await dialog.getByLabel("Name").fill("release-pipeline");
      await dialog.getByLabel("It works for").selectOption({ label: "storefront" });
    });
    const accounts = page.getByRole("region", { name: "Service accounts" });
    await accounts.getByText("storefront").waitFor();
    await confirm("New key…", "Create it", (dialog) => dialog.getByLabel("Name").fill("ci"));
    const key = (await page.locator(".once").textContent())!;
    const statusFor = async () => (await app.call({ url: "/api/v1/projects", token: key })).statusCode;
    expect(await statusFor()).toBe(200);
    await accounts.getByText("ci, ").waitFor();
    await expectSound("users");
    await confirm("Delete", "Delete it", async () => undefined, accounts);
    await accounts.getByText("release-pipeline").waitFor({ state: "detached" });
    expect(await statusFor()).toBe(401);
    await open("/applications");
    await page.getByRole("link", { name: "shop" }).click();
    await confirm("Share…", "Share", async (dialog) => {
      await dialog.getByLabel("With").selectOption({ label: "storefront" });
    });
    await sees("shared with storefront");
    await open("/audit?action=user.*");
    await page.locator("td", { hasText: "user.create" }).first().waitFor();
    await page.getByRole("button", { name: "Check the chain" }).click();
    await page.locator(".chip", { hasText: "Intact" }).waitFor();
    await expectSound("audit");
    await open("/installation");
    await sees(/^Postgres /);
    await page.getByRole("region", { name: "Queue" }).waitFor();
    await expectSound("installation");
  });

  test("goes anywhere by the keyboard", async () => {
    await page.keyboard.press("Control+k");
    const palette = page.locator("dialog.palette");
    await palette.getByRole("combobox").fill("shop");
    await palette.getByRole("option", { name: /Shop/ }).first().waitFor();
    await expectSound("palette");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Shop" }).waitFor();
    // The tabs of the project that is open are there, too, and what every page can do.
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill("costs");
    await page.keyboard.press("Enter");
    await page.waitForURL("**?tab=costs");
    await page.keyboard.press("Control+k");
    await palette.getByRole("combobox").fill("theme: dark");
    await page.keyboard.press("Enter");
    await page.locator("html[data-theme=dark]").waitFor();
    await page.evaluate(() => localStorage.removeItem("slipway-theme"));
    await page.reload();
    await sees("By agent");
    await page.keyboard.press("g");
    await page.keyboard.press("w");
    await page.waitForURL("**/webhooks");
  });

  test("offers a reader nothing that the service would refuse", async () => {
    const { token } = await app.userToken("svc:readonly");
    const reader = await newPage(browser);
    const context = reader.context();
    await reader.goto(await link("/", token));
    await reader.getByRole("link", { name: "Shop" }).first().click();
    await reader.locator(".graph-task").first().waitFor();
    expect(await reader.getByRole("button", { name: /Restart from|Roll back|Retry/ }).count()).toBe(0);
    const places = await reader.getByRole("navigation", { name: "Main" }).getByRole("link").allInnerTexts();
    expect(places).toEqual(["Projects", "Approvals", "Applications", "Agents", "Sign-ins", "API"]);
    await reader.getByRole("link", { name: "shop", exact: true }).click();
    await reader.getByRole("heading", { name: "shop" }).waitFor();
    expect(await reader.getByRole("button", { name: /Share|Stop|Promote/ }).count()).toBe(0);
    await context.close();
  });
}
