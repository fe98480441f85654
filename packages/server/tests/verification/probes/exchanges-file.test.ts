import { expect, test } from "vitest";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { exchangesFile } from "../../../src/verification/probes/exchanges-file.ts";
import { countTurns } from "../../support/count-turns.ts";

test("long answers are masked in turns, and cut as before", async () => {
  const masker = new Masker(["open sesame"]);
  const answer = { status: 200, headers: { "x-key": "open sesame" }, text: `open sesame ${"%25".repeat(30_000)}` };
  const exchange = { pointer: "/p", method: "GET", url: "http://x/", sent: { headers: {} }, answer, durationMs: 1 };
  const line = { pointer: "/p", check: { kind: "http_endpoint", keepsEvidence: true } };
  const turns = countTurns();
  const [file] = await exchangesFile(Array.from({ length: 16 }, () => exchange) as never, [line] as never, masker);
  expect(turns()).toBeGreaterThan(2);
  const shown = JSON.parse(file!.text) as { answer: { headers: Record<string, string>; body: string } }[];
  expect(shown[0]!.answer.headers["x-key"]).toBe(masker.mask("open sesame"));
  expect(shown[0]!.answer.body).toBe(masker.maskAndCut(answer.text, 64 * 1024));
  expect(file!.text.length).toBeLessThan(600 * 1024);
});
