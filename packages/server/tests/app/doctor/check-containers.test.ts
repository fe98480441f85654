import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { checkContainers } from "../../../src/app/doctor/check-containers.ts";

/** What doctor finds with an engine that describes itself as podman does. */
async function findingsFor(version: string, allowsOwn: boolean | undefined) {
  const folder = mkdtempSync(join(tmpdir(), "slipway-engine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const host = { security: { rootless: false }, cgroupControllers: ["cpu", "memory", "pids"] };
  const program = join(folder, "podman");
  writeFileSync(program, `#!/bin/sh\necho '${JSON.stringify({ host, version: { Version: version } })}'\n`);
  chmodSync(program, 0o755);
  const containers = { engine: [program] as const, allowsOwn, baseImages: {} };
  return Array.fromAsync(checkContainers({ orchestrators: ["process", "container"], containers }));
}

const wrong = expect.objectContaining({ status: "warning", message: expect.stringContaining("CVE-2024-1753") });
const well = expect.objectContaining({ status: "ok" });

test.for(["4.3.1", "4.9.3", "3.4.4", "4.9"])(
  "podman %s is warned of, where projects bring Dockerfiles",
  async (one) => {
    expect(await findingsFor(one, true)).toEqual([wrong]);
    expect(await findingsFor(one, undefined)).toEqual([wrong]);
    expect(await findingsFor(one, false)).toEqual([well]);
  },
);

test.for(["4.9.4", "4.9.4-rhel", "4.10.0", "5.0.0", "5.2.3", ""])("podman '%s' is not", async (one) => {
  expect(await findingsFor(one, true)).toEqual([well]);
});
