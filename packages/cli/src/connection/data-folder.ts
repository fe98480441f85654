import { existsSync } from "node:fs";
import { promisify } from "node:util";
import { CommandError, exitCode } from "../exit-code.ts";

/** The default data folder. */
const defaultFolder = ".slipway";

/** The data folder that `slipway serve` would use: from the flag, the variable or the config file. */
export async function dataFolderOf(flag: string | undefined, env: Readonly<NodeJS.ProcessEnv>): Promise<string> {
  const named = flag ?? (env["SLIPWAY_DATA"] || undefined);
  if (named !== undefined) return named;
  if (!env["SLIPWAY_CONFIG"] && !existsSync("slipway.yaml")) return defaultFolder;
  // Only the service can read its config file.
  return readSetting(env);
}

async function readSetting(env: Readonly<NodeJS.ProcessEnv>): Promise<string> {
  const [{ execFile }, { serviceEntry }] = await Promise.all([
    import("node:child_process"),
    import("../start-service.ts"),
  ]);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [serviceEntry(), "config", "--json"], { env });
    const { settings } = JSON.parse(stdout) as { settings: { name: string; value: unknown }[] };
    return String(settings.find(({ name }) => name === "data")?.value ?? defaultFolder);
  } catch (error) {
    const message = (error as { stderr?: string }).stderr?.trim().replace(/^slipway: /, "");
    throw new CommandError(exitCode.usage, message || "cannot read the service's settings", { cause: error });
  }
}
