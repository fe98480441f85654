import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { addPluginCommand, listPluginsCommand, removePluginCommand } from "../../../src/app/commands/plugins.ts";
import { readConfig } from "../../../src/app/config.ts";
import { readPluginSettings } from "../../../src/platform/plugins/index.ts";
import { pluginSource, writePlugin } from "../../support/write-plugin.ts";

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
  const add = async (what: string) => {
    printed = "";
    const why = await addPluginCommand(config(), what, { isJson: false, print });
    return why ?? printed;
  };
  const remove = async (name: string) => {
    printed = "";
    const why = await removePluginCommand(config(), name, { isJson: false, print });
    return why ?? printed;
  };
  return { add, list, allow, remove };
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
