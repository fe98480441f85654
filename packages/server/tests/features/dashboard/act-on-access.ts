import { expect, test } from "vitest";
import { newPage } from "../../support/new-page.ts";
import type { Desk } from "./desk.ts";

/** Changes users, keys and secrets by the buttons of their rows. */
export function actOnAccess({ app, browser, address, page, open, confirm }: Desk): void {
  const row = (text: string) => page.locator("tr", { hasText: text });
  /** Presses a button of a row, and confirms. */
  const act = async (
    text: string,
    button: string,
    action: string,
    fill: () => Promise<void> = async () => undefined,
  ) => {
    await row(text).getByRole("button", { name: button, exact: true }).click();
    await fill();
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("button", { name: action, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
  };
  const statusFor = async (token: string) => (await app.call({ url: "/api/v1/projects", token })).statusCode;

  test("changes a user's role, gives and ends their access, and removes them", async () => {
    await open("/users");
    await confirm("New user…", "Create them", (dialog) =>
      dialog.getByLabel("Name or e-mail address").fill("ada@example.com"),
    );
    await act("ada@example.com", "Role…", "Change", async () => {
      await page.locator("dialog[open]").getByLabel("Role").selectOption("svc:readonly");
    });
    await row("ada@example.com").getByText("reader").waitFor();
    await act("ada@example.com", "New token", "Issue it");
    const token = (await page.locator(".once").textContent())!;
    expect(await statusFor(token)).toBe(200);

    // What is shown once lets a person in, as the role that they have.
    const theirs = await newPage(browser);
    await theirs.goto(address);
    await theirs.getByLabel("Or paste an API key").fill(token);
    await theirs.getByRole("button", { name: "Sign in" }).click();
    await theirs.getByRole("navigation", { name: "Main" }).waitFor();
    expect(await theirs.getByRole("link", { name: "Users" }).count()).toBe(0);

    await act("ada@example.com", "End access", "End them");
    expect(await statusFor(token)).toBe(401);
    await theirs.reload();
    await theirs.getByText("Sign in to Slipway").waitFor();
    await theirs.context().close();
    await act("ada@example.com", "Remove", "Remove them");
    await row("ada@example.com").waitFor({ state: "detached" });
  });

  test("replaces a key, of which both work for a day", async () => {
    await open("/keys");
    await confirm("New key…", "Create it", (dialog) => dialog.getByLabel("Name").fill("Nightly"));
    const first = (await page.locator(".once").textContent())!;
    await act("Nightly", "Rotate", "Replace");
    await expect.poll(() => page.locator(".once").textContent()).not.toBe(first);
    const second = (await page.locator(".once").textContent())!;
    expect([await statusFor(first), await statusFor(second)]).toEqual([200, 200]);
  });

  test("removes a secret", async () => {
    await open("/secrets");
    await confirm("Set a secret…", "Set it", async (dialog) => {
      await dialog.getByLabel("Name").fill("API_TOKEN");
      await dialog.getByLabel("Value").fill("not shown");
    });
    await act("API_TOKEN", "Remove", "Remove it");
    await row("API_TOKEN").waitFor({ state: "detached" });
  });
}
