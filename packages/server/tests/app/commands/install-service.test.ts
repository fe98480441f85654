import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { planService } from "../../../src/app/commands/install-service.ts";
import { quoteWord } from "../../../src/app/commands/systemd-unit.ts";
import { ConfigError } from "../../../src/platform/errors/index.ts";

const installed = {
  node: process.execPath,
  program: "/opt/slip way/100%/$HOME/bin.cjs",
  user: "root",
  workingFolder: "/tmp",
  args: ["--data", "my data", "--roles=api,worker", "--host", 'a"b\\c', "--allow-local-webhooks"],
  env: { SLIPWAY_DATABASE_URL: "postgres://u:hidden@h/db", SLIPWAY_LAUNCHED: "1", HOME: "/root" },
};

test("the unit starts the service with the options given, by absolute paths, and holds no secrets", () => {
  const { unit, commands, variables } = planService(installed);
  expect(unit.split("\n")).toEqual(
    expect.arrayContaining([
      String.raw`ExecStart=${process.execPath} "/opt/slip way/100%%/$$HOME/bin.cjs" serve --data "/tmp/my data" --host "a\"b\\c" --roles api,worker --allow-local-webhooks`,
      "User=root",
      "WorkingDirectory=/tmp",
      "Restart=on-failure",
      "KillMode=process",
      "EnvironmentFile=-/etc/slipway.env",
    ]),
  );
  expect(JSON.stringify(planService(installed))).not.toContain("hidden");
  expect(variables).toEqual(["SLIPWAY_DATABASE_URL"]);
  expect(commands).toHaveLength(3);
  expect(commands[0]).toContain("--data 'my data'");
});

test("what serve would refuse, and what a line cannot hold, is refused", () => {
  expect(() => planService({ ...installed, args: ["--port", "many"] })).toThrow(ConfigError);
  expect(() => planService({ ...installed, args: ["--data", "a\nExecStartPre=/bin/x"] })).toThrow("a line break");
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test.skipIf(!hasSystemd)("systemd reads the unit, and each word as it was (needs systemd-analyze)", () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "slipway.service");
  writeFileSync(file, planService(installed).unit);
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line.includes("slipway.service"))).toEqual([]);
  expect(status).toBe(0);
});

test("a shell, whose quotes are alike, reads each word as it was", () => {
  for (const word of ["plain", "two words", 'a "quoted" one', "back\\slash", "ümläut", "a;b", "'"])
    expect(execFileSync("sh", ["-c", `printf %s ${quoteWord(word)}`], { encoding: "utf8" })).toBe(word);
});
