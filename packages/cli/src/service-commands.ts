import type { Command } from "./command.ts";

/** Commands that the service's own program implements. It parses their arguments and prints their help. */
export const serviceCommands = {
  serve: serviceCommand("serve", "Start the service."),
  worker: serviceCommand("worker", "Run tasks of a remote service with an agent on this machine."),
  plugins: serviceCommand("plugins", "Add, remove or list plugins that define outcome types."),
  doctor: serviceCommand("doctor", "Check that this machine has everything the service needs."),
  config: serviceCommand("config", "Print the settings and where each one comes from."),
  backup: serviceCommand("backup", "Copy everything that the service keeps into a folder."),
  restore: serviceCommand("restore", "Fill an empty data folder from a backup."),
  service: serviceCommand("service", "Keep the service running by systemd: install, uninstall or status."),
  adminToken: serviceCommand("admin-token", "Rotate the administrator's token."),
} as const;

function serviceCommand(name: string, description: string): Command {
  return {
    name,
    description,
    isPassThrough: true,
    run: async ({ args }) => {
      const { startService } = await import("./start-service.ts");
      return startService([name, ...args.filter((word) => word !== undefined)]);
    },
  };
}
