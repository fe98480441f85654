import { packageName } from "../../kit/node-package.ts";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import type { Unmet } from "../../plugin.ts";

/** Reads the packaging: version, folder, launchers, and command-line options. */
export function readPackaging(document: DocumentToBuild<"desktop-app">, unmet: Unmet[]) {
  const { version = "1.0.0", folder, launchers: given = {}, options } = document.packaging ?? {};
  const refuse = (place: string, reason: string) => unmet.push({ pointer: `/packaging/${place}`, reason });
  const command = packageName(document.id);
  const isInside = folder !== undefined && !/(?:^|\/)(?:src|scripts|test)(?:\/|$)/.test(folder);
  if (folder !== undefined && !isInside) refuse("folder", `It is packed into dist/${command}.`);
  const taken = new Set(["app"]);
  const launcher = (system: "linux" | "macos" | "windows", fallback: string) => {
    const wanted = given[system];
    const isUsable = wanted !== undefined && !taken.has(wanted);
    if (wanted !== undefined && !isUsable) refuse(`launchers/${system}`, `The launcher is called ${fallback}.`);
    const name = isUsable ? wanted : taken.has(fallback) ? `${fallback}-launcher` : fallback;
    taken.add(name);
    return name;
  };
  return {
    version,
    command,
    folder: isInside ? folder : `dist/${command}`,
    launchers: {
      linux: launcher("linux", command),
      macos: launcher("macos", `${command}.command`),
      windows: launcher("windows", `${command}.cmd`),
    },
    options: optionsOf(options, refuse),
  };
}

const usual = { version: "--version", help: "--help", data: "--data", no_window: "--no-window" } as const;

type GivenOptions = NonNullable<DocumentToBuild<"desktop-app">["packaging"]>["options"];

function optionsOf(given: GivenOptions, refuse: (place: string, reason: string) => void) {
  const options: { name: string; does: string }[] = [];
  for (const [index, { name, does }] of (given ?? []).entries()) {
    if (options.some((one) => one.name === name || one.does === does))
      refuse(`options/${index}`, "Another option has this name, or does this.");
    else options.push({ name, does });
  }
  for (const [does, name] of Object.entries(usual))
    if (!options.some((one) => one.does === does || one.name === name)) options.push({ name, does });
  return options;
}
