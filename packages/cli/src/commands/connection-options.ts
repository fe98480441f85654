import type { Command } from "commander";

/** Which service a command speaks with. */
export function connectionOptions(command: Command): Command {
  return command
    .option("--url <address>", "the service (default: SLIPWAY_URL, else the one on the data folder)")
    .option("--token <token>", "a token for it (default: SLIPWAY_TOKEN, or the data folder's)")
    .option("--data <folder>", "the data folder of the service on this machine (default: SLIPWAY_DATA, or .slipway)");
}
