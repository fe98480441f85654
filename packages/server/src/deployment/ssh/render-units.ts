import type { ProgramPlan, ReleasePlan } from "../supervisor/index.ts";
import { TargetFailure } from "../supervisor/index.ts";
import { quote } from "./machine.ts";
import type { SshSettings } from "./ssh-settings.ts";

interface UnitToRender {
  readonly settings: SshSettings;
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly plan: ReleasePlan;
  /** Its place among the programs of the version. */
  readonly index: number;
  readonly copy: number;
}

export function unitName(releaseId: string, index: number, copy: number): string {
  return `slipway-${releaseId}-${index}-${copy}.service`;
}

/**
 * The unit of one copy of a program. It holds ids of ours and settings of the operator's: what the document says is in the
 * files that it names.
 */
export function renderUnit({ settings, deploymentId, releaseId, plan, index, copy }: UnitToRender): string {
  const { folder, runAs, scope } = settings;
  const { memoryBytes, cpuCores, processes } = plan.limits;
  const base = `${folder}/apps/${deploymentId}`;
  const lines = [
    "[Unit]",
    `Description=Slipway ${deploymentId} ${releaseId}`,
    "After=network.target",
    "StartLimitIntervalSec=0",
    "[Service]",
    "Type=exec",
    ...(runAs === undefined ? [] : [`User=${runAs}`]),
    `WorkingDirectory=${base}/releases/${releaseId}`,
    `EnvironmentFile=${base}/env/${releaseId}-${index}-${copy}.env`,
    `ExecStart=/bin/sh ${base}/releases/${releaseId}.start/${index}.sh`,
    "Restart=always",
    "RestartSec=1",
    "TimeoutStopSec=10",
    `MemoryMax=${memoryBytes}`,
    `CPUQuota=${Math.max(1, Math.round(cpuCores * 100))}%`,
    `TasksMax=${processes}`,
    "NoNewPrivileges=yes",
    "PrivateTmp=yes",
    // A user's own manager may not do these.
    ...(scope === "system"
      ? ["ProtectSystem=strict", "ProtectHome=tmpfs", `ReadWritePaths=${base}/data ${base}/releases/${releaseId}`]
      : []),
    "[Install]",
    `WantedBy=${scope === "system" ? "multi-user.target" : "default.target"}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The program of a unit, as a file: no unit and no command line holds what the document says. */
export function renderStart({ command }: Pick<ProgramPlan, "command">, path: string): string {
  return `cd -- ${quote(path === "" ? "." : path)} || exit 1\n${command}\n`;
}

/** Variables as both systemd and a shell read them. */
export function renderVariables(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => {
      if (!/^[A-Za-z_]\w*$/.test(name))
        throw new TargetFailure(`'${name}' cannot be the name of a variable on the machine.`);
      return `${name}="${value.replaceAll(/["\\$`]/g, (one) => `\\${one}`)}"\n`;
    })
    .join("");
}
