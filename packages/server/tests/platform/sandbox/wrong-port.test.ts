import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../../src/platform/sandbox/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { until } from "../../support/until.ts";
import { sharedSandbox, writeProject } from "../../support/verification/test-project.ts";

/** Listens at a port of its own choice, and says which. */
const program = `require("http").createServer((q, s) => s.end("hello"))
  .listen(0, "127.0.0.1", function () { console.log("port " + this.address().port); });`;

test.skipIf(process.platform !== "linux")(
  "a program that listens at another port than PORT is told of both",
  async () => {
    const sandbox = await sharedSandbox();
    const [command, folder] = [`exec ${process.execPath} app.cjs`, writeProject({ "app.cjs": program })];
    let said = "";
    const onOutput = (text: string) => {
      said += text;
    };
    const running = sandbox.startCommand({ command, folder, env: {}, onOutput }, ampleLimits);
    onTestFinished(() => running.stop(0).then(() => undefined));
    const [, port] = await until(() => /port (\d+)\n/.exec(said));
    const started = await startServer(
      { startCommand: () => running },
      {
        ...{ name: "scripts.start", command, folder, env: {}, limits: ampleLimits, readiness: { path: "/" } },
        ...{ readyWithinMs: 1, maxErrors: 5, signal: new AbortController().signal },
      },
    );
    expect(started).toMatchObject({
      failure: expect.stringMatching(
        new RegExp(
          `^scripts\\.start is not ready after 0\\.001 seconds: nothing answers at port \\d+, which the environment variable PORT names\\. It listens at port ${port} instead\\.$`,
        ),
      ),
    });
  },
);
