import type { Command } from "../command.ts";

export const upgradeCommand: Command = {
  name: "upgrade",
  description: "Say whether there is a newer version, and how to get it.",
  options: [{ flags: "--check", description: "ask the registry that npm is configured for; changes nothing" }],
  json: "print the versions, whether one is newer, and the command that installs it",
  notes:
    "Slipway never replaces itself: what has installed it upgrades it. Back the service up before (slipway backup).",
  exitCodes: { 5: "the registry cannot be reached, or does not answer as one" },
  examples: ["slipway upgrade --check", "slipway upgrade --check --json"],
  run: async (context) => (await import("./check-for-upgrade.ts")).checkForUpgrade(context),
};
