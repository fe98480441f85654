import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { CommandError, exitCode } from "../exit-code.ts";
import { serviceEntry } from "../start-service.ts";

/** Where an embedded service keeps everything, if nobody says otherwise. */
const usualFolder = ".slipway";

/** The data folder as `slipway serve` would choose it: flag, variable, config file. */
export async function dataFolderOf(flag: string | undefined): Promise<string> {
  const named = flag ?? (process.env["SLIPWAY_DATA"] || undefined);
  if (named !== undefined) return named;
  if (!process.env["SLIPWAY_CONFIG"] && !existsSync("slipway.yaml")) return usualFolder;
  // Only the service knows how to read that file.
  return askService();
}

async function askService(): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [serviceEntry(), "config", "--json"]);
    const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown }[] };
    return String(settings.find(({ name }) => name === "data")?.value ?? usualFolder);
  } catch (error) {
    const told = (error as { stderr?: string }).stderr?.trim().replace(/^slipway: /, "");
    throw new CommandError(exitCode.usage, told || "the settings of the service cannot be read", { cause: error });
  }
}
