import type { CompleteSpec } from "@slipway/spec";
import { packageName } from "../../kit/node-package.ts";
import { unknownKeys } from "../../kit/not-built.ts";
import { fieldsOf, textOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";

/** Reads the packaging: version, folder, launchers, and command-line options. */
export function readPackaging(document: CompleteSpec, unmet: Unmet[]) {
  const packaging = fieldsOf(fieldsOf(document)["packaging"]);
  const refuse = (place: string, reason: string) => unmet.push({ pointer: `/packaging/${place}`, reason });
  unmet.push(...unknownKeys(packaging, ["version", "folder", "launchers", "options"], "/packaging", "packing an app"));
  const command = packageName(document.id);
  const version = textOf(packaging["version"], "1.0.0");
  const folder = packaging["folder"];
  const isInside =
    typeof folder === "string" &&
    /^[\w-]+(?:\/[\w.-]+)*$/.test(folder) &&
    !/(?:^|\/)(?:\.\.?|src|scripts|test)(?:\/|$)/.test(folder);
  if (folder !== undefined && !isInside) refuse("folder", `It is packed into dist/${command}.`);
  const given = fieldsOf(packaging["launchers"]);
  const defaults = { linux: command, macos: `${command}.command`, windows: `${command}.cmd` };
  const taken = new Set(["app"]);
  const launchers = Object.entries(defaults).map(([system, fallback]) => {
    const wanted = given[system];
    const isUsable = typeof wanted === "string" && /^[\w][\w.-]*$/.test(wanted) && !taken.has(wanted);
    if (wanted !== undefined && !isUsable) refuse(`launchers/${system}`, `The launcher is called ${fallback}.`);
    const name = isUsable ? wanted : taken.has(fallback) ? `${fallback}-launcher` : fallback;
    taken.add(name);
    return [system, name];
  });
  for (const system of Object.keys(given))
    if (!(system in defaults)) refuse(`launchers/${system}`, "There is no launcher for this system.");
  return {
    version: /^[\w.+-]+$/.test(version) ? version : "1.0.0",
    command,
    folder: isInside ? folder : `dist/${command}`,
    launchers: Object.fromEntries(launchers) as Readonly<Record<"linux" | "macos" | "windows", string>>,
    options: optionsOf(packaging["options"], refuse),
  };
}

const optionKinds: Readonly<Record<string, readonly [name: string, meaning: RegExp]>> = {
  version: ["--version", /version/],
  help: ["--help", /help/],
  data: ["--data", /keep|data|folder/],
  no_window: ["--no-window", /window|headless/],
};

function optionsOf(value: unknown, refuse: (place: string, reason: string) => void) {
  const options: { name: string; does: string }[] = [];
  for (const [index, given] of (Array.isArray(value) ? value : []).entries()) {
    const { name, does } = fieldsOf(given);
    const isUsable =
      typeof name === "string" && /^--?[a-z][\w-]*$/i.test(name) && !options.some((one) => one.name === name);
    const kind = Object.keys(optionKinds).find(
      (one) =>
        !options.some((other) => other.does === one) &&
        (optionKinds[one]![0] === name || optionKinds[one]![1].test(String(does))),
    );
    if (isUsable && kind !== undefined) options.push({ name, does: kind });
    else refuse(`options/${index}`, "There is no such option.");
  }
  for (const [does, [name]] of Object.entries(optionKinds))
    if (!options.some((one) => one.does === does) && !options.some((one) => one.name === name))
      options.push({ name, does });
  return options;
}
