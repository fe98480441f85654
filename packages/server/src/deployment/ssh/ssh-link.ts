import type { TemporaryFolders } from "../../platform/temporary-folders.ts";
import type { SupervisorLink } from "../supervisor-link.ts";
import { Machine } from "./machine.ts";
import type { SshSettings } from "./ssh-settings.ts";
import { type SshDeps, SshSupervision } from "./ssh-supervision.ts";

interface LinkDeps extends Pick<SshDeps, "log" | "releaseFolder"> {
  readonly settings: SshSettings;
  /** For what the ssh client needs. */
  readonly folder: string;
  readonly temporary: TemporaryFolders;
  /** The supervisor of this machine: it has the tunnels, and ends with its own link. */
  readonly local: SupervisorLink;
}

/** How the service reaches a machine of the operator's. */
export function sshLink({ settings, folder, temporary, local, log, releaseFolder }: LinkDeps): SupervisorLink {
  const machine = new Machine(settings, folder, temporary);
  const get = async () => {
    // The supervisor starts the client by itself later on: what that needs must be there.
    await machine.prepare();
    return new SshSupervision({ machine, local: await local.get(), log, releaseFolder });
  };
  const find = async () => {
    const supervisor = await local.find();
    return supervisor && new SshSupervision({ machine, local: supervisor, log, releaseFolder });
  };
  const leave = () => machine.close();
  return { get, find, leave, close: leave };
}
