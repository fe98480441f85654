import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tunnelStarter } from "../../../src/deployment/supervisor/tunnel.ts";
import { type CommandStarter, createSandbox, startServer } from "../../../src/platform/sandbox/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { noBubblewrap } from "../../support/sandboxes.ts";
import { startMachine, whyNoMachine } from "../../support/ssh/start-machine.ts";
import { sharedSandbox, writeProject } from "../../support/verification/test-project.ts";

/** Answers in place of the first programs that are started, where these should listen. */
function squatted(sandbox: CommandStarter, times: number, status: number): CommandStarter {
  let left = times;
  return {
    startCommand(toRun, limits) {
      if (left > 0) {
        left -= 1;
        const stranger = createServer((_, response) => response.writeHead(status).end("stranger"));
        stranger.listen(Number(toRun.env["PORT"]), "127.0.0.1");
        onTestFinished(() => {
          stranger.closeAllConnections();
          stranger.close();
        });
      }
      return sandbox.startCommand(toRun, limits);
    },
  };
}

/** Goes on without its port where it does not get it. */
const program = `require("http").createServer((q, s) => s.end("own")).on("error", () => setInterval(() => {}, 1000))
  .listen(process.env.PORT, process.env.HOST);`;

interface Differently {
  readonly app?: string;
  readonly command?: string;
  readonly sandbox?: CommandStarter;
  /** What the other program answers with. */
  readonly status?: number;
}

async function start(
  times: number,
  { app = program, command = `exec ${process.execPath} app.cjs`, sandbox, status = 200 }: Differently = {},
) {
  return startServer(squatted(sandbox ?? (await sharedSandbox()), times, status), {
    ...{ name: "scripts.start", command, env: {}, limits: ampleLimits },
    ...{ folder: writeProject({ "app.cjs": app }), readiness: { path: "/" }, readyWithinMs: 60_000, maxErrors: 5 },
    ...{ signal: new AbortController().signal },
  });
}

/** Ends where it does not get its port. */
const strict = `require("http").createServer((q, s) => s.end("own")).listen(process.env.PORT, process.env.HOST);`;

// Without a sandbox, who listens may have left the program that started it.
test.skipIf(noBubblewrap !== undefined).for([
  ["waits", { app: program }],
  ["ends", { app: strict, status: 503 }],
] as const)("a program that %s where another one took its port gets another port", async ([, how]) => {
  const started = await start(1, how);
  if ("failure" in started) throw new Error(started.failure);
  try {
    expect(await (await fetch(started.url)).text()).toBe("own");
  } finally {
    await started.running.stop(0);
  }
});

test.skipIf(noBubblewrap !== undefined)("a program is not ready because another one answers at its port", async () => {
  expect(await start(9)).toMatchObject({ failure: "Another program has taken the port of scripts.start." });
});

test("a program without a sandbox may be served by one that has left it", async () => {
  const sandbox = await createSandbox({ mode: "none", dataFolder: join(tmpdir(), "slipway-tested-data") });
  const app = `require("http").createServer((q, s) => s.end("left", () => q.url === "/end" && process.exit()))
    .listen(process.env.PORT, process.env.HOST);
    setTimeout(() => process.exit(), 300_000);`;
  // What is left knows nothing of the run.
  const command = `env -i PORT=$PORT HOST=$HOST setsid -f ${process.execPath} app.cjs >/dev/null 2>&1; exec sleep 600`;
  const started = await start(0, { app, command, sandbox });
  if ("failure" in started) throw new Error(started.failure);
  onTestFinished(() => void fetch(`${started.url}/end`).catch(() => undefined));
  try {
    expect(await (await fetch(started.url)).text()).toBe("left");
  } finally {
    await started.running.stop(0);
  }
});

describe.skipIf(whyNoMachine !== undefined)(`a tunnel (skipped: ${whyNoMachine ?? "no"})`, async () => {
  if (whyNoMachine !== undefined) return;
  const { settings } = await startMachine();
  const known = ["-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null"];
  const options = ["-F", "none", "-p", String(settings.port), "-l", settings.user, "-i", settings.key, ...known];

  test("whose port another program takes before it listens there gets another port", async () => {
    const there = createServer((_, response) => response.end("own")).listen(0, "127.0.0.1");
    await once(there, "listening");
    onTestFinished(() => void there.close());
    const tunnel = { options, destination: settings.host, ports: [] };
    const started = await start(1, { sandbox: tunnelStarter(tunnel, (there.address() as AddressInfo).port) });
    if ("failure" in started) throw new Error(started.failure);
    try {
      expect(await (await fetch(started.url)).text()).toBe("own");
    } finally {
      await started.running.stop(0);
    }
  });
});
