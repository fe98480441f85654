import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { submit, untilEnded } from "../engine/follow.ts";
import { createTestApp } from "../test-app.ts";

const app = await createTestApp({ engine: {} });
const example = readFileSync(new URL("../../../../examples/documentation.yaml", import.meta.url), "utf8");

test("the same document again is the same result", async () => {
  const first = await submit(app, example);
  expect(await untilEnded(app, first)).toMatchObject({ status: "deployed", error: null });
  const second = await submit(app, example);
  expect(await untilEnded(app, second)).toMatchObject({ status: "deployed", error: null });
  const { rows } = { rows: await app.db.selectFrom("generations").selectAll().execute() };
  console.log(JSON.stringify(rows, undefined, 1));
});
