import { expect, test } from "vitest";
import { startReceiver } from "../../support/webhooks/receiver.ts";
import type { Desk } from "./desk.ts";

/** Changes a webhook by the buttons of its page. */
export function actOnWebhooks({ app, page, open, confirm }: Desk): void {
  const receiving = startReceiver();
  const chip = (status: string) => page.locator(".title .chip", { hasText: status });

  test("disables and activates a webhook, and replaces its secret", async () => {
    const receiver = await receiving;
    const payload = { url: `${receiver.url}/hook`, events: ["*"], secret: "at-least-sixteen-characters" };
    const made = await app.call({ method: "POST", url: "/api/v1/webhooks", payload });
    const { webhook_id } = made.json<{ webhook_id: string }>();
    await open(`/webhooks/${webhook_id}`);
    await page.getByRole("button", { name: "Disable" }).click();
    await chip("disabled").waitFor();
    await page.getByRole("button", { name: "Activate" }).click();
    await chip("active").waitFor();
    await confirm("New secret…", "Replace", async () => undefined);
    const secret = (await page.locator(".once").textContent())!;
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole("button", { name: "Test", exact: true }).click();
    await page.locator(".deliveries .chip", { hasText: "delivered" }).waitFor();
    // For a day, both secrets sign.
    const signatures = String(receiver.at("/hook").at(-1)!.headers["webhook-signature"]).split(" ");
    expect(signatures).toHaveLength(2);
  });

  test("sends a delivery that failed again, and shows what came of it without being asked again", async () => {
    const receiver = await receiving;
    receiver.answer = (_received, response) => void response.writeHead(500).end("out of order");
    await page.getByRole("button", { name: "Test", exact: true }).click();
    const failed = page.locator(".delivery", { hasText: "failed" });
    await failed.locator("summary").click();
    await failed.getByText("out of order").waitFor();
    receiver.answer = (_received, response) => void response.writeHead(200).end("thank you");
    await failed.getByRole("button", { name: "Redeliver" }).click();
    await page.locator(".delivery", { hasText: "thank you" }).locator(".chip", { hasText: "delivered" }).waitFor();
  });
}
