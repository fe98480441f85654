import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, mkdir, mkdtemp, open, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { installLimits, installPackage } from "../../../src/app/commands/install-package.ts";
import { addPluginCommand, listPluginsCommand, removePluginCommand } from "../../../src/app/commands/plugins.ts";
import { readConfig } from "../../../src/app/config.ts";
import { readPluginSettings } from "../../../src/platform/plugins/index.ts";
import { pluginSource, writePackage, writePlugin } from "../../support/write-plugin.ts";

/** An installation of its own; the config file allows these plugins. */
async function installation() {
  const place = await mkdtemp(join(tmpdir(), "slipway-plugins-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const file = join(place, "slipway.yaml");
  const config = () => readConfig(["--data", join(place, "data"), "--config", file], {}).config;
  const allow = (lines: string) => writeFile(file, lines);
  await allow("{}\n");
  let printed = "";
  const print = (text: string) => {
    printed += text;
  };
  const list = async () => {
    printed = "";
    await listPluginsCommand(config(), { isJson: false, print });
    return printed;
  };
  const add = async (what: string, signal?: AbortSignal) => {
    printed = "";
    const why = await addPluginCommand(config(), what, { isJson: false, print, ...(signal && { signal }) });
    return why ?? printed;
  };
  const remove = async (name: string) => {
    printed = "";
    const why = await removePluginCommand(config(), name, { isJson: false, print });
    return why ?? printed;
  };
  return { add, list, allow, remove, data: join(place, "data") };
}

test("a plugin is installed, told of with the line that allows it, and listed", { tags: "long" }, async () => {
  const { add, list, allow } = await installation();
  expect(await list()).toBe("No plugin is allowed or installed. 'slipway plugins add' installs one.\n");
  const folder = await writePlugin("@acme/fleet", pluginSource("@acme/fleet"));
  const told = await add(folder);
  expect(told).toContain("Installed @acme/fleet 1.2.3 (outcome types: fleet).");
  const line = 'plugins:\n  - name: "@acme/fleet"\n';
  expect(told).toContain(line);
  expect(await add(folder), "again").toBe(told);
  expect(await list()).toBe("@acme/fleet  1.2.3  not allowed  outcome types: fleet\n");
  await rm(folder, { recursive: true });
  await allow(line);
  expect(await list(), "it was copied").toBe("@acme/fleet  1.2.3  allowed  outcome types: fleet\n");
});

test("scripts of a plugin's package are not run", { tags: "long" }, async () => {
  const { add } = await installation();
  const folder = await writePlugin("fleet", pluginSource("fleet"));
  const scripts = { preinstall: "exit 1", install: "exit 1", postinstall: "exit 1" };
  const manifest = { name: "fleet", version: "1.2.3", type: "module", main: "./index.js", scripts };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  expect(await add(folder)).toContain("Installed fleet 1.2.3");
});

test("what cannot be installed or used is said so", { tags: "long" }, async () => {
  const { add, list, allow } = await installation();
  const folder = await writePlugin("fleet", pluginSource("fleet").replace('"v1"', '"v2"'));
  expect(await add(folder)).toBe(
    `The plugin '${folder}' cannot be used. Its api_version is 'v2'. This service supports 'v1'.`,
  );
  await allow("plugins:\n  - { name: ghost, path: nowhere }\n");
  expect(await list(), "what was refused is not left behind").toMatch(
    /^ghost {2}- {2}allowed {2}cannot be used: There is no package in .*nowhere: 'slipway plugins add' .*\n$/,
  );
  expect(await add("./nowhere")).toMatch(
    /^The plugin '\.\/nowhere' cannot be used\. There is no folder or file \/.*\/nowhere\.$/,
  );
});

test("a folder that was changed is copied anew, and what was added can be removed", { tags: "long" }, async () => {
  const { add, list, remove } = await installation();
  const folder = await writePlugin("fleet", pluginSource("fleet"));
  await add(folder);
  await writeFile(
    join(folder, "index.js"),
    pluginSource("fleet").replace('name: "fleet",\n      languages', 'name: "armada",\n      languages'),
  );
  expect(await add(folder)).toContain("Installed fleet 1.2.3 (outcome types: armada).");
  expect(await remove("fleet")).toBe("Removed fleet. Remove its line from slipway.yaml, too.\n");
  expect(await list()).toContain("No plugin is allowed or installed.");
  expect(await remove("fleet")).toContain("There is no plugin 'fleet' in the data folder.");
});

test("a new version that cannot be used leaves the one before as it was", { tags: "long" }, async () => {
  const { add, list, data } = await installation();
  const folder = await writePlugin("fleet", pluginSource("fleet"));
  await add(folder);
  await writeFile(join(folder, "index.js"), 'throw new Error("\\u001b]0;pwned\\u0007\\u001b[2Jsunk")');
  const why = await add(folder);
  expect(why).toMatch(/cannot be used\. It failed: Error: .*sunk\.$/);
  expect(why).not.toMatch(/\p{Cc}/u);
  await rm(join(folder, "package.json"));
  expect(await add(folder)).toContain("npm cannot install");
  expect(await list()).toBe("fleet  1.2.3  not allowed  outcome types: fleet\n");
  expect((await readdir(data)).filter((name) => name.startsWith("slipway-"))).toEqual([]);
});

test("what one plugin brings does not pass for what another one needs", { tags: "long" }, async () => {
  const { add } = await installation();
  const greedy = await writePlugin("greedy", pluginSource("greedy"));
  await mkdir(join(greedy, "helper"));
  await writePackage(join(greedy, "helper"), "helper", "export default 1;");
  const manifest = { name: "greedy", version: "1.2.3", type: "module", exports: "./index.js" };
  await writeFile(
    join(greedy, "package.json"),
    JSON.stringify({ ...manifest, dependencies: { helper: "file:./helper" } }),
  );
  expect(await add(greedy)).toContain("Installed greedy 1.2.3");
  const other = await writePlugin("other", pluginSource("other", { top: 'import "helper";' }));
  expect(await add(other)).toContain("Cannot find package 'helper'");
});

test("a package on which npm waits, or that fills the disk, is given up", { tags: "long" }, async () => {
  const place = await mkdtemp(join(tmpdir(), "slipway-plugins-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const install = async (source: string, limits: Partial<typeof installLimits>) => {
    const folder = await mkdtemp(join(place, "into-"));
    return installPackage(folder, source, { ...installLimits, lookMs: 5, ...limits });
  };
  const waits = await writePlugin("fleet", pluginSource("fleet"));
  await rm(join(waits, "package.json"));
  execFileSync("mkfifo", [join(waits, "package.json")]);
  await expect(install(waits, { wallMs: 300 })).rejects.toThrow(/^npm cannot install .*: it took more than/);
  const large = await writePlugin("fleet", pluginSource("fleet"));
  await writeFile(join(large, "large"), randomBytes(2 ** 22));
  await expect(install(large, { diskBytes: 2 ** 20 })).rejects.toThrow(/^npm cannot install .*: it takes more than/);
});

test("nothing runs of a package that needs another from git, which names a program as npm's git", {
  tags: "long",
}, async () => {
  const { add, list } = await installation();
  const place = await mkdtemp(join(tmpdir(), "slipway-plugins-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const mark = join(place, "ran");
  const evil = await writePackage(join(place, "evil"), "evil", "export default 1;");
  await writeFile(join(evil, "git.sh"), `#!/bin/sh\ntouch ${mark}\nexec git "$@"\n`, { mode: 0o755 });
  await writeFile(join(evil, ".npmrc"), "git=./git.sh\n");
  const needs = { next: `git+file://${join(place, "evil")}#main` };
  const scripts = { prepare: `touch ${mark}` };
  await writeFile(
    join(evil, "package.json"),
    JSON.stringify({ name: "evil", version: "1.0.0", scripts, dependencies: needs }),
  );
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.c", ...args], { cwd: evil });
  git("init", "-q", "-b", "main");
  git("add", "-A");
  git("commit", "-qm", "evil");
  const folder = await writePlugin("fleet", pluginSource("fleet"));
  const manifest = { name: "fleet", version: "1.2.3", type: "module", exports: "./index.js", scripts };
  await writeFile(
    join(folder, "package.json"),
    JSON.stringify({ ...manifest, dependencies: { evil: `git+file://${evil}` } }),
  );
  expect(await add(folder)).toContain("npm cannot install");
  await expect(access(mark)).rejects.toThrow("ENOENT");
  expect(await list()).toContain("No plugin is allowed or installed.");
});

test("an npm that runs scripts though it is told not to is refused", async () => {
  const place = await mkdtemp(join(tmpdir(), "slipway-plugins-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("PATH", `${place}${delimiter}${process.env["PATH"]}`);
  for (const version of ["9.9.9", "10.8.20", "10.9.2"]) {
    await writeFile(join(place, "npm"), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
    await expect(installPackage(place, "fleet")).rejects.toThrow(`npm ${version} would run scripts of packages: get`);
  }
});

test("whoever ends the command ends npm, and leaves nothing", { tags: "long" }, async () => {
  const { add, data } = await installation();
  const folder = await writePlugin("fleet", pluginSource("fleet"));
  await rm(join(folder, "package.json"));
  execFileSync("mkfifo", [join(folder, "package.json")]);
  const ending = new AbortController();
  const added = add(folder, ending.signal);
  // Who opens the pipe to write waits for the one who reads: npm.
  const pipe = await open(join(folder, "package.json"), "w");
  ending.abort();
  expect(await added).toBe("Interrupted.");
  await pipe.close();
  expect((await readdir(data)).filter((name) => name.startsWith("slipway-"))).toEqual([]);
});

test("everything that is wrong with the operator's list is said at once", () => {
  expect(readPluginSettings(undefined, "f")).toEqual([]);
  expect(readPluginSettings([{ name: "a", path: "p" }, { name: "@b/c" }], "f")).toEqual([
    { name: "a", path: "p", env: [], network: "none", secrets: undefined },
    { name: "@b/c", path: undefined, env: [], network: "none", secrets: undefined },
  ]);
  expect(() => readPluginSettings("a", "f")).toThrow("plugins in f must be a list, each entry with 'name'.");
  const wrong = ["a", { name: "../a" }, { path: "p" }, { name: "b", version: 1 }, { name: "b" }];
  expect(() => readPluginSettings(wrong, "f")).toThrow(
    [
      "plugins[0] in f must be a map of 'key: value' lines.",
      "plugins[1].name in f must be the name of a package, such as 'slipway-plugin-platform' or '@acme/platform'.",
      "plugins[2].name in f is missing.",
      "plugins[3].version in f is not a key of plugins. Known keys: name, path, env, network, secrets.",
      "plugins in f: two have the name 'b'.",
    ].join("\n"),
  );
});
