import { eventData, eventNames } from "@slipway/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { boundedData } from "../../../src/engine/events/index.ts";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);
const maxBytes = 64 * 1024;
const bytesOf = (data: object) => Buffer.byteLength(JSON.stringify(data));

/** The longest data that a schema allows, as far as anybody will wait for it. */
function longest(described: unknown, text: string): unknown {
  const {
    type,
    format,
    properties = {},
    items,
  } = described as {
    type?: string;
    format?: string;
    properties?: Record<string, unknown>;
    items?: unknown;
  };
  if (type === "object")
    return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, longest(part, text)]));
  if (type === "array") return Array(100).fill(longest(items, text.slice(0, 1_000)));
  if (type === "string") return format === "date-time" ? "2026-11-15T09:30:00.000Z" : text;
  return Number.MAX_SAFE_INTEGER;
}

// A quote takes two bytes in JSON, a control character six, and an emoji must not be halved.
test.each(["x", '"', "\u0001", "🐢"])("no event is long, however long what it tells is: %j", (character) => {
  const text = character.repeat(70_000);
  for (const name of eventNames) {
    const data = longest(eventData[name], text) as object;
    const bounded = boundedData(data);
    expect(bytesOf(bounded), name).toBeLessThanOrEqual(maxBytes);
    const validate = ajv.compile(eventData[name]);
    expect(validate(bounded), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    expect(JSON.stringify(bounded)).not.toMatch(/\\ud[89a-f]/);
  }
});

test("an event that is not long stays as it is, and of a long one only prose and lists are cut", () => {
  const asked = {
    approval_id: "appr_1",
    environment: "e".repeat(200),
    approvers: Array.from({ length: 100 }, (_, at) => `${at}${"a".repeat(190)}`),
  };
  expect(boundedData(asked)).toBe(asked);
  const { error, ...failed } = {
    task_id: "t".repeat(200),
    error: { code: "task_failed", message: "The tests fail. ".repeat(10_000), task_id: "t".repeat(200) },
  };
  const bounded = boundedData({ ...failed, error });
  expect(bounded).toMatchObject({ ...failed, error: { code: error.code, task_id: error.task_id } });
  expect((bounded["error"] as typeof error).message).toMatch(/^The tests fail\..*…$/);
});
