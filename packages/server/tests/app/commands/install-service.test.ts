import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { planService } from "../../../src/app/commands/install-service.ts";
import { quoteWord } from "../../../src/app/commands/systemd-unit.ts";
import { ConfigError } from "../../../src/platform/errors/index.ts";
import { entry } from "../../support/run-service.ts";

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
  expect(commands[0]).toContain("slipway service install --print --data 'my data'");
});

test("what serve would refuse, and what a line cannot hold, is refused", () => {
  expect(() => planService({ ...installed, args: ["--port", "many"] })).toThrow(ConfigError);
  expect(() => planService({ ...installed, args: ["--data", "a\nExecStartPre=/bin/x"] })).toThrow("a line break");
  expect(() => planService({ ...installed, workingFolder: "/tmp/a\\" })).toThrow("a backslash");
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

test("a unit of the user's own systemd has no user, and asks for nothing that only root may do", () => {
  const { HOME, ...env } = installed.env;
  const args = ["--user", ...installed.args];
  const { unit, file, commands } = planService({ ...installed, args, env: { ...env, XDG_CONFIG_HOME: "/c" } });
  expect(unit).toContain("EnvironmentFile=-/c/slipway.env\n");
  expect(unit).toContain("WantedBy=default.target\n");
  expect(unit).not.toMatch(/^(User|LimitNOFILE|ProtectSystem|Wants)=/m);
  expect(file).toBe("/c/systemd/user/slipway.service");
  expect(commands.join()).not.toContain("sudo");
});

test("root who installs for somebody by sudo does not make it a service of root", () => {
  const { user: _, ...rest } = installed;
  expect(planService({ ...rest, env: { SUDO_USER: "ann" } }).unit).toContain("User=ann\n");
});

test("a unit is installed, asked for and removed; what systemd refuses is told", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // It notes how it was called; a file says what it refuses.
  const systemctl = `#!/bin/sh
echo "$*" >> "${folder}/calls"
case $2 in is-active) echo active ;; $(cat "${folder}/refused")) echo "Unit is masked." >&2; exit 1 ;; esac\n`;
  writeFileSync(join(folder, "systemctl"), systemctl, { mode: 0o755 });
  writeFileSync(join(folder, "refused"), "nothing");
  const env = { PATH: `${folder}:${process.env["PATH"]}`, XDG_CONFIG_HOME: join(folder, "config"), HOME: folder };
  const service = (...args: string[]) => {
    const words = [entry, "service", ...args, "--user", "--json"];
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, env, encoding: "utf8" });
    return { code: status, told: stderr, ...(stdout !== "" && JSON.parse(stdout)) };
  };
  const file = join(folder, "config/systemd/user/slipway.service");
  expect(service("status")).toMatchObject({ code: 1, is_installed: false, state: "not installed" });
  expect(service("install", "--port", "4711")).toMatchObject({ code: 0, file, is_active: true });
  expect(readFileSync(file, "utf8")).toContain(`serve --data ${folder}/.slipway --port 4711\n`);
  expect(service("status")).toMatchObject({ code: 0, state: "active" });
  writeFileSync(join(folder, "refused"), "disable");
  expect(service("uninstall")).toMatchObject({ code: 1, told: expect.stringContaining("Unit is masked.") });
  expect(existsSync(file)).toBe(true);
  writeFileSync(join(folder, "refused"), "nothing");
  expect(service("uninstall")).toMatchObject({ code: 0, was_installed: true });
  expect(existsSync(file)).toBe(false);
  expect(readFileSync(join(folder, "calls"), "utf8").split("\n").slice(0, 3)).toEqual([
    ...["--user daemon-reload", "--user enable slipway", "--user restart slipway"],
  ]);
  expect(service("uninstall", "--port", "1")).toMatchObject({ code: 2 });
});

const units: [string, string[]][] = [
  ["of the machine", []],
  ["of a user", ["--user"]],
];

test.skipIf(!hasSystemd).each(units)("systemd reads the unit %s, and each word as it was", (_, flags) => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-unit-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "slipway.service");
  writeFileSync(file, planService({ ...installed, args: [...flags, ...installed.args] }).unit);
  const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], { encoding: "utf8" });
  expect(stderr.split("\n").filter((line) => line.includes("slipway.service"))).toEqual([]);
  expect(status).toBe(0);
});

test("a shell, whose quotes are alike, reads each word as it was", () => {
  for (const word of ["plain", "two words", 'a "quoted" one', "back\\slash", "ümläut", "a;b", "'"])
    expect(execFileSync("sh", ["-c", `printf %s ${quoteWord(word)}`], { encoding: "utf8" })).toBe(word);
});
