// @module-tag long
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { installationOf } from "../../../src/deployment/containers/own-labels.ts";
import { descendantsOf, signalProcess, thisOwner } from "../../../src/platform/sandbox/index.ts";
import { testFolder } from "../../support/database/run-starter.ts";
import { entry, startService, usedDataFolder } from "../../support/run-service.ts";
import { until } from "../../support/until.ts";

/** What an engine's program is to the sweep: a leader of a session with these arguments, and a step in another session. */
async function startBuild(data: string, folder: string, env: NodeJS.ProcessEnv = {}) {
  const up = join(folder, "up");
  const step = `trap "" TERM; echo > ${up}; while :; do sleep 1; done`;
  const program = `require("child_process").spawn("sh", ["-c", ${JSON.stringify(step)}], { detached: true }).on("exit", () => process.exit(1))`;
  const labels = ["--label", `slipway.installation=${installationOf(data)}`, "--label", "slipway.release=rel_gone"];
  const build = spawn(process.execPath, ["-e", program, "--", "build", ...labels], {
    ...{ detached: true, stdio: "ignore", env: { ...process.env, ...env } },
  });
  onTestFinished(() => {
    for (const one of descendantsOf(build.pid!)) signalProcess(one, "SIGKILL");
    build.kill("SIGKILL");
  });
  await until(() => existsSync(up));
  return { build, ended: once(build, "exit") };
}

test.skipIf(process.platform !== "linux")(
  "the start of a service ends the builds that a killed one left, though their projects are gone, and none of other services",
  { tags: "long" },
  async () => {
    const [data, folder] = [await usedDataFolder(), await testFolder()];
    const left = await startBuild(data, folder);
    const others = await startBuild(join(folder, "elsewhere"), await testFolder());
    // As that of another node on this data folder.
    const needed = await startBuild(data, await testFolder(), { SLIPWAY_OWNER: thisOwner() });
    const service = await startService(data, [], { program: entry });
    // Its step is killed, so that it can clean up.
    expect(await left.ended).toEqual([1, null]);
    for (const { build } of [others, needed]) expect(build.exitCode ?? build.signalCode).toBeNull();
    await service.stop();
  },
);
