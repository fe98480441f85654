import { resolve } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { systemClock } from "../../platform/clock.ts";
import { count } from "../../platform/count.ts";
import type { Config } from "../config.ts";
import { untilEnded } from "../until-ended.ts";
import { BackupRefusal } from "./backup-refusal.ts";
import { createBackup } from "./create-backup.ts";
import type { Manifest } from "./manifest.ts";
import { type Progress, tellProgress } from "./progress.ts";
import { restoreBackup } from "./restore-backup.ts";

export const backupHelp = `Usage: slipway backup <folder> [--json] [options]
       slipway restore <folder> [--json] [options]

backup: copy the database, the artifacts and what is deployed into a new folder, also while the service runs.
restore: fill an empty data folder and an empty database from such a folder, while no service runs there.

The master key is not in a backup: keep <data>/master-key apart. A restore needs it.

Exit codes: 0 success; 1 refused or failed; 2 wrong usage; 3 done, but some files could not be read or written.

Options: --data <folder>, --config <file>, and the others of 'slipway serve'.
`;

interface Printed {
  readonly isJson: boolean;
}

/** `slipway backup`. */
export async function backupCommand(config: Config, folder: string, { isJson }: Printed): Promise<void> {
  const target = resolve(folder);
  const deps = { config, clock: systemClock, version: manifest.version, ...interruptible() };
  const made = await createBackup(deps, target);
  tellLeftOut(made.left_out);
  const without = made.not_included.map((text) => `- ${text}\n`).join("");
  print(isJson, target, made, `The backup is in ${target}: ${describe(made)}.\nNot in it:\n${without}`);
}

/** `slipway restore`. */
export async function restoreCommand(config: Config, folder: string, { isJson }: Printed): Promise<void> {
  const source = resolve(folder);
  const restored = await restoreBackup({ config, ...interruptible() }, source);
  tellLeftOut(restored.not_restored);
  const next =
    "Make sure that the service it is of no longer runs. 'slipway serve' starts this one, and\n'slipway admin-token rotate' gives you its administrator's token.\n";
  print(
    isJson,
    source,
    restored,
    `Restored ${describe(restored)}, as of ${restored.created_at}, into ${config.dataFolder}.\n${next}`,
  );
}

function tellLeftOut(texts: readonly string[]): void {
  for (const text of texts) process.stderr.write(`Left out: ${text}\n`);
  if (texts.length > 0) process.exitCode = 3;
}

function print(isJson: boolean, folder: string, made: Manifest, text: string): void {
  process.stdout.write(isJson ? `${JSON.stringify({ folder, ...made }, null, 2)}\n` : text);
}

function describe({ tables, artifacts, apps }: Manifest): string {
  const rows = Object.values(tables).reduce((sum, ofTable) => sum + ofTable, 0);
  const parts = [
    `${count(rows, "row")} of ${count(Object.keys(tables).length, "table")}`,
    artifacts === null ? "no artifacts" : `${count(artifacts.count, "artifact")} (${count(artifacts.bytes, "byte")})`,
    `the files of ${count(apps.length, "deployment")}`,
  ];
  return parts.join(", ");
}

/** What is told of the progress, and what ends it. */
function interruptible(): { readonly progress: Progress; readonly signal: AbortSignal } {
  const signal = untilEnded(new BackupRefusal("Interrupted."));
  const tell = tellProgress((line) => void process.stderr.write(line));
  const progress = (doing: string) => {
    signal.throwIfAborted();
    tell(doing);
  };
  return { progress, signal };
}
