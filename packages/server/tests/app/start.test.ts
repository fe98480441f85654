import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { testFolder } from "../support/database/run-starter.ts";
import { entry, startService, usedDataFolder } from "../support/run-service.ts";

test("a service loads few files at its start, and no SDK of an agent, a model or a cloud, and no scanner", async () => {
  const folder = await testFolder();
  const list = join(folder, "loaded.txt");
  writeFileSync(
    join(folder, "note-loads.mjs"),
    `import { appendFileSync } from "node:fs";
     import { registerHooks } from "node:module";
     registerHooks({
       load(url, context, next) {
         if (url.startsWith("file:")) appendFileSync(${JSON.stringify(list)}, url + "\\n");
         return next(url, context);
       },
     });`,
  );
  const noting = pathToFileURL(join(folder, "note-loads.mjs")).href;
  const service = await startService(await usedDataFolder(), [], { program: entry, nodeArgs: ["--import", noting] });
  const atStart = readFileSync(list, "utf8").trim().split("\n");
  await service.stop();

  const sdks =
    /node_modules\/(@a2a-js|@agentclientprotocol|@ai-sdk|@aws-sdk|@babel|@secretlint|ai|autocannon|eslint|swagger-ui-dist|undici)\//;
  expect(atStart.filter((url) => sdks.test(url))).toEqual([]);
  expect(atStart.some((url) => url.includes("/dist/service/"))).toBe(true);
  expect(atStart.length).toBeLessThan(300);
});
