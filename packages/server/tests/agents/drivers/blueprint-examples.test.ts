import { readdirSync, readFileSync } from "node:fs";
import { builtInPlugin } from "@slipway/blueprints";
import { parseSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { eventsOf, submit, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp({ engine: {} });

const folder = new URL("../../../../../examples/", import.meta.url);
const examples = builtInPlugin.outcome_types.map(({ name }) => name);

test("there is an example of every outcome type that can be built", () => {
  const types = readdirSync(folder)
    .filter((file) => file.endsWith(".yaml"))
    .map((file) => parseSpec(readFileSync(new URL(file, folder), "utf8")).document?.outcome_type);
  expect(types).toEqual(expect.arrayContaining(examples));
});

test.for(examples)("the example of %s is built, tested and live, without a model or a network", async (name) => {
  const id = await submit(app, readFileSync(new URL(`${name}.yaml`, folder), "utf8"));
  const { status, error } = await untilEnded(app, id);
  expect({ status, error }).toEqual({ status: "deployed", error: null });
  const deployed = (await eventsOf(app, id)).find(({ event }) => event === "project.deployed");
  const url = String(deployed?.data["url"]);
  // A program for the terminal, a library or a set of files is not live anywhere.
  if (url !== "") expect((await fetch(url)).status).toBeLessThan(500);
});
