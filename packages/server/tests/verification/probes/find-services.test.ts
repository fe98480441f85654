import { renameSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { findServices } from "../../../src/verification/index.ts";
import { documentWith, writeProject } from "../../support/verification/test-project.ts";

test("nobody reads how a service starts where its folder leads meanwhile", async () => {
  const folder = writeProject({ "services/a/Procfile": "web: inside\n" });
  const outside = writeProject({ "a/Procfile": "web: outside\n" });
  const [place, aside] = [join(folder, "services"), join(folder, "aside")];
  let isOver = false;
  const exchange = async () => {
    while (!isOver) {
      renameSync(place, aside);
      symlinkSync(outside, place);
      await nextTurn();
      unlinkSync(place);
      renameSync(aside, place);
      await nextTurn();
    }
  };
  const exchanging = exchange();
  const service = { dependencies: [], events_consumed: [], events_published: [], ports: [] };
  const document = { ...documentWith(), services: { a: service } };
  const found = new Set<string>();
  for (let round = 0; round < 60 || !found.has("inside"); round += 1) {
    const services = await findServices(document, folder, new AbortController().signal).catch(() => []);
    for (const { start } of services) found.add(start);
  }
  isOver = true;
  await exchanging;
  expect(found).not.toContain("outside");
});
