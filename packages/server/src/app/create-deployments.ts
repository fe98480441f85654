import { join, resolve } from "node:path";
import type { CompleteSpec } from "@slipway/spec";
import {
  type ContainerSettings,
  ContainerStarter,
  Containers,
  containerTarget,
  Deployments,
  type DeploymentTarget,
  endSupervisors,
  findNames,
  insideSupervisor,
  type KubernetesSettings,
  kubernetesLink,
  kubernetesTarget,
  processTarget,
  ReleaseFolders,
  type SshSettings,
  type SupervisorEvent,
  type SupervisorLink,
  SupervisorProcess,
  sshLink,
  sshTargets,
  sweepLeftContainers,
} from "../deployment/index.ts";
import { appendEvent } from "../engine/events/index.ts";
import type { FindSecrets } from "../engine/execution/index.ts";
import { AppLogs, openMasked, type ProjectLogs } from "../engine/logs/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/database/index.ts";
import type { Log } from "../platform/log/index.ts";
import { Sandbox } from "../platform/sandbox/index.ts";
import { appsPart } from "./apps-part.ts";

/** How what is deployed lives on this node. */
export interface DeploymentSettings {
  /** Names the node's data folder. */
  readonly host: string;
  /** Where deployed software listens. */
  readonly addressHost: string;
  /** What the files and data of a deployment may take up. */
  readonly maxDiskBytes: number;
  /** It is kept alive by the service itself, and ends with it. */
  readonly isInside: boolean;
  /** Where else documents may be deployed. */
  readonly targets: {
    readonly kubernetes: KubernetesSettings | undefined;
    readonly ssh: ReadonlyMap<string, SshSettings>;
  };
  /** The ways to deploy that documents may ask for; the first is for those that ask for none. */
  readonly orchestrators: readonly string[];
  readonly containers: ContainerSettings;
}

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly dataFolder: string;
  readonly sandbox: Sandbox;
  readonly logs: ProjectLogs;
  readonly findSecrets: FindSecrets;
  readonly findDocument: (projectId: string, environment?: string) => Promise<CompleteSpec>;
  readonly onProjectChanged: (projectId: string) => void;
  readonly apps: DeploymentSettings;
  readonly minuteMs: number;
}

/** Composes what brings results live and keeps them so. */
export function createDeployments(deps: Deps): Deployments {
  const { db, clock, log, dataFolder, sandbox, apps, minuteMs, findDocument } = deps;
  const appLogs = new AppLogs(deps.logs);
  const folder = resolve(dataFolder);
  const containers = new Containers({ settings: apps.containers, dataFolder: folder, sandbox });
  const known: readonly DeploymentTarget[] = [processTarget, containerTarget(containers)];
  return new Deployments({
    ...{ db, clock, log, sandbox, minuteMs, findDocument },
    ...{
      host: apps.host,
      addressHost: apps.addressHost,
      maxDiskBytes: apps.maxDiskBytes,
      folder: join(folder, "apps"),
      containers,
    },
    targets: [
      ...apps.orchestrators.flatMap((name) => known.filter((target) => target.name === name)),
      // What the operator declares is allowed by that.
      ...(apps.targets.kubernetes === undefined ? [] : [kubernetesTarget(apps.targets.kubernetes, containers)]),
      ...sshTargets([...apps.targets.ssh.keys()]),
    ],
    openTargets: (onEvent, onGone) => openTargets({ ...deps, containers }, onEvent, onGone),
    findSecrets: async (projectId, environment) =>
      deps.findSecrets(projectId, await findDocument(projectId, environment)),
    writeLog: (projectId, source, text) => appLogs.write(projectId, source, text),
    openLog: (projectId, source, masked) => {
      const origin = { projectId, source, taskId: "", attempt: 0, agentId: "" };
      return openMasked(deps.logs, origin, masked);
    },
    news: {
      append: (trx, projectId, name, data) => appendEvent(trx, clock, projectId, name, data),
      appended: deps.onProjectChanged,
    },
  });
}

function openTargets(
  deps: Deps & { readonly containers: Containers },
  onEvent: (event: SupervisorEvent) => void,
  onGone: () => void,
): ReadonlyMap<string, SupervisorLink> {
  const { db, clock, log, dataFolder, apps, containers } = deps;
  const local = openSupervisor(deps, onEvent, onGone);
  const links = new Map([["process", local]]);
  const folders = new ReleaseFolders(join(resolve(dataFolder), "apps"));
  const releaseFolder = (deploymentId: string, releaseId: string) => folders.release(deploymentId, releaseId);
  const { kubernetes: settings, ssh } = apps.targets;
  for (const [name, machine] of ssh) {
    const folder = join(resolve(dataFolder), "ssh");
    links.set(
      `ssh:${name}`,
      sshLink({ settings: machine, folder, temporary: deps.sandbox.temporary, local, log, releaseFolder }),
    );
  }
  if (settings !== undefined) {
    const describe = (deploymentId: string, releaseId?: string) => findNames(db, deploymentId, releaseId);
    const known = { settings, clock, log, host: apps.host, builder: containers, describe, releaseFolder, onEvent };
    links.set("kubernetes", kubernetesLink(known));
  }
  return links;
}

function openSupervisor(
  { dataFolder, log, sandbox, apps }: Deps,
  onEvent: (event: SupervisorEvent) => void,
  onGone: () => void,
): SupervisorLink {
  const folder = resolve(dataFolder);
  const mode = sandbox.isUncontainedOnPurpose ? "none" : "auto";
  const own = process.argv[1] ?? "";
  const command = [process.execPath, ...process.execArgv, own, "supervise", folder, mode] as const;
  const ofItsOwn = new SupervisorProcess({ dataFolder: folder, command, log, onEvent, onGone });
  if (!apps.isInside) return ofItsOwn;
  const appsSandbox = new Sandbox({ found: sandbox.found, dataFolder: folder, part: appsPart });
  const containers = new ContainerStarter({ sandbox: appsSandbox, dataFolder: folder, part: "apps" });
  return insideSupervisor({ sandbox: appsSandbox, containers, onEvent }, async () => {
    // One that an earlier service left has the addresses.
    await ofItsOwn.close();
    await endSupervisors(folder);
    await appsSandbox.sweepOrphans();
    await sweepLeftContainers(folder, "apps");
  });
}
