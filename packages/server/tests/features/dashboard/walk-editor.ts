import { expect, test } from "vitest";
import { documentOf } from "../../support/engine/stage.ts";
import type { Desk } from "./desk.ts";

/** Writes a document in the editor: completion, help, diagnostics, plan, and submits it. */
export function walkEditor({ page, open, sees, expectSound }: Desk): void {
  const editor = page.getByLabel("The document");
  const offered = (word: string) => page.getByRole("option", { name: word, exact: true });
  const written = async () => (await editor.locator(".cm-line").allTextContents()).join("\n");
  /** Pastes over everything: the editor adds nothing of its own. */
  const replace = async (text: string) => {
    await editor.click();
    await page.keyboard.press("Control+a");
    await editor.evaluate((content, pasted) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", pasted);
      content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  };

  test("offers keys and words while a document is written, and explains them", async () => {
    await open("/new");
    await sees("The document is valid.");
    await expectSound("new");
    await editor.click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("guard");
    await offered("guardrails").click();
    await page.keyboard.press("Enter");
    await page.keyboard.type("  unver");
    await offered("unverified").click();
    await page.keyboard.type("a");
    await expectSound("completion");
    await offered("ask").click();
    expect(await written()).toMatch(/guardrails:\s*\n {2}unverified: ask/);
    await sees("The document is valid.");
    await editor.getByText("unverified", { exact: true }).hover();
    await page.locator(".key-tip", { hasText: "guardrails.unverified" }).waitFor();
    const help = page.getByRole("region", { name: "About guardrails.unverified" });
    await help.getByText("ask", { exact: true }).waitFor();
  });

  test("lets the keyboard leave the editor, in which Tab indents", async () => {
    await sees(/Escape and then Tab leaves the editor/);
    const isInside = () => page.evaluate(() => document.activeElement?.shadowRoot !== null);
    await editor.click();
    await page.keyboard.press("Tab");
    expect(await isInside()).toBe(true);
    await page.keyboard.press("Control+m");
    await page.keyboard.press("Tab");
    expect(await isInside()).toBe(false);
  });

  test("marks what is wrong with a document, and leads there", async () => {
    await open("/new");
    await sees("The document is valid.");
    const first = await written();
    await replace(first.replace("outcome_type: api", "outcome_type: apix"));
    await page.locator(".cm-lintRange-error").waitFor();
    await sees(/Unknown outcome_type 'apix'/);
    await expectSound("problems");
    expect(await page.getByRole("button", { name: "Create the project" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: /^error, line/ }).click();
    await page.keyboard.press("Control+z");
    await sees("The document is valid.");
    await page.getByLabel("Start from").selectOption("cli");
    await expect.poll(written).toContain("outcome_type: cli");
    await sees("The document is valid.");
  });

  test("shows the plan of a document, and submits it", async () => {
    await replace(documentOf({ id: "written", name: "Written here" }));
    await page.getByRole("button", { name: "Preview the plan" }).click();
    await sees("What a run would do");
    await expectSound("plan");
    await page.getByRole("button", { name: "Create the project" }).click();
    await page.getByRole("heading", { name: "Written here" }).waitFor();
  });

  test("says before it creates a project what stands in its way", async () => {
    await open("/new");
    await replace(documentOf({ id: "needy", outcome_type: "game", name: "Nobody can build it" }));
    await page.getByRole("button", { name: "Create the project" }).click();
    await sees(/^Something stands in its way/);
    await page.locator(".obstacles .error").first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/new");
  });
}
