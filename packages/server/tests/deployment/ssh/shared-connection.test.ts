import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Machine } from "../../../src/deployment/ssh/machine.ts";
import { SharedConnection } from "../../../src/deployment/ssh/shared-connection.ts";
import { readSshSettings } from "../../../src/deployment/ssh/ssh-settings.ts";
import { TemporaryFolders } from "../../../src/platform/temporary-folders.ts";
import { startMachine, whyNoMachine } from "../../support/ssh/start-machine.ts";

/** A machine, and a connection to it that ends at once when nobody uses it. */
async function reachMachine() {
  const { settings, stopServer } = await startMachine();
  const folder = mkdtempSync(join(tmpdir(), "slipway-ssh-"));
  const web = readSshSettings({ targets: { web: settings } }, "slipway.yaml").get("web")!;
  const temporary = new TemporaryFolders({ dataFolder: folder, where: folder });
  const machine = new Machine(web, join(folder, "ssh"), temporary);
  await machine.prepare();
  const connection = new SharedConnection(temporary, machine.options, web.host, 0);
  onTestFinished(async () => {
    await connection.close();
    await machine.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (shared: readonly string[], command: string) =>
    spawn("ssh", [...shared, ...machine.options, "--", web.host, command]);
  return { machine, connection, start, stopServer };
}

describe.skipIf(whyNoMachine !== undefined)(`a connection to a machine (skipped: ${whyNoMachine ?? "no"})`, () => {
  test("stays while a call uses it, however many others have come and gone", async () => {
    const { connection, start } = await reachMachine();
    const exitCode = await connection.use(async (shared) => {
      const child = start(shared, "cat");
      for (let round = 0; round < 3; round += 1) {
        const [short] = await connection.use((again) => once(start(again, "true"), "close"));
        expect(short).toBe(0);
        child.stdin.write("still there\n");
        // The ways there and back take longer than a connection that nobody uses may last.
        const answered = await Promise.race([once(child.stdout, "data"), once(child, "close")]);
        expect(String(answered[0])).toBe("still there\n");
      }
      child.stdin.end();
      return (await once(child, "close"))[0] as number | null;
    });
    expect(exitCode).toBe(0);
  });

  test("that breaks is told, and what was said until then", async () => {
    const { machine, stopServer } = await reachMachine();
    const outputs: string[] = [];
    const hasSpoken = Promise.withResolvers<void>();
    const onOutput = (text: string) => {
      outputs.push(text);
      hasSpoken.resolve();
    };
    const broken = machine.run({ script: "echo said by the script; sleep 60", onOutput });
    const told = expect(broken).rejects.toThrow(/^The machine 'web' cannot be reached: \S+/);
    await hasSpoken.promise;
    await stopServer();
    await told;
    expect(outputs.join("")).toBe("said by the script\n");
  });
});
