import { readFileSync } from "node:fs";
import { exampleEvents, webhookEventNames } from "@slipway/contract";
import { expect, test } from "vitest";
import { writeBody } from "../../../src/features/webhooks/index.ts";

const page = readFileSync(new URL("../../../../../docs/reference/webhooks.md", import.meta.url), "utf8");

test("the page about webhooks shows every event as it is posted, and no others", () => {
  const [, secret = ""] = /signed with the secret `(whsec_\S+)`/.exec(page) ?? [];
  const shown = [...page.matchAll(/^### `([\w.]+)`\n\n.+\n\n```json\n([^`]+)```/gm)].map(([, name, body = ""]) => [
    name,
    JSON.stringify(JSON.parse(body)),
  ]);
  const posted = webhookEventNames.map((event) => [event, writeBody({ event, ...exampleEvents[event] }, secret)]);
  expect(shown).toEqual(posted);
});

test("it names the length of the tail that a receiver cuts", () => {
  expect(page).toContain(`cut the last ${',"signature":"sha256="}'.length + 64} `);
});
