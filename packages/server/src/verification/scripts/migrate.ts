import { causeOf } from "../../platform/cause-line.ts";
import { count } from "../../platform/count.ts";
import { documentLimits, limitMessage, type Sandbox, timeMessage } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import { whyNotOwn } from "./own-file.ts";
import type { ScriptToRun } from "./run-scripts.ts";

/**
 * Runs `scripts.migrate` before the software starts, with the network of the software, where the document gives verification a
 * secret of its own. Otherwise it would change what the deployed software uses, before anybody approved that.
 */
export async function migrateForVerification(
  sandbox: Pick<Sandbox, "runCommand">,
  { document, folder, account, signal, minuteMs, secrets, openLog }: ScriptToRun,
): Promise<string | undefined> {
  const command = document.scripts?.migrate;
  if (command === undefined || Object.keys(document.secrets?.verification ?? {}).length === 0) return undefined;
  const notOwn = await whyNotOwn({ name: "migrate", command }, folder, signal);
  if (notOwn !== undefined) return notOwn;
  const minutes = document.timeouts.implementation_minutes;
  const log = openLog("migrate");
  log.write(`$ ${command}\n`);
  const masker = new Masker(Object.values(secrets));
  const shared = { masker, onOutput: log.write, network: "all", ...(account && { account }) } as const;
  const limits = { ...documentLimits(document), limitMs: minutes * minuteMs, signal };
  const toRun = { command, folder, env: secrets, ...shared };
  const end = await sandbox.runCommand(toRun, limits).finally(() => log.end());
  if (end.exitCode === 0) return undefined;
  signal.throwIfAborted();
  const who = "scripts.migrate";
  const why = end.isTimedOut
    ? timeMessage(who, count(minutes, "minute"), "timeouts.implementation_minutes")
    : (limitMessage(who, end.outcome) ?? `${who} ended with exit code ${end.exitCode}.`);
  return `${why} ${causeOf({ ...end, stderr: end.told.stderr }, 500, folder)}`.trim();
}
