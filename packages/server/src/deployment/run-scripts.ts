import { setTimeout as delay } from "node:timers/promises";
import type { CompleteSpec } from "@slipway/spec";
import { causeOf } from "../platform/cause-line.ts";
import type { OutputLog } from "../platform/log/index.ts";
import { limitMessage, type RunAccount, type Sandbox } from "../platform/sandbox/index.ts";
import { Masker } from "../platform/secrets/index.ts";
import { appLimits } from "./app-limits.ts";
import { maxHealthCheckMs, scriptTooLong } from "./script-too-long.ts";

type ScriptName = "deploy" | "migrate" | "health_check" | "rollback";

export interface ScriptToRun {
  readonly name: ScriptName;
  readonly command: string;
  readonly document: CompleteSpec;
  readonly folder: string;
  /** Whose files it may change. */
  readonly account?: RunAccount;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Of the version's files and the deployment's data. */
  readonly maxDiskBytes: number;
  readonly signal: AbortSignal;
  readonly openLog: (source: string) => OutputLog;
}

/** Runs a script of the document's that belongs to a deployment; says why it failed, undefined if it did not. */
export async function runDeploymentScript(
  sandbox: Pick<Sandbox, "runCommand">,
  { name, command, document, folder, account, env, secrets, limitMs, maxDiskBytes, signal, openLog }: ScriptToRun,
): Promise<string | undefined> {
  const log = openLog(name);
  log.write(`$ ${command}\n`);
  try {
    const end = await sandbox.runCommand(
      {
        ...{ command, folder, env: { ...secrets, ...env }, onOutput: log.write },
        // As the deployed programs have it: a script goes to their database, or takes the files to where they run.
        network: "all",
        ...(account && { account }),
        masker: new Masker(Object.values(secrets)),
      },
      { ...appLimits(document, maxDiskBytes), limitMs, signal },
    );
    if (end.exitCode === 0) return undefined;
    signal.throwIfAborted();
    const why =
      end.outcome.is === "timeout"
        ? scriptTooLong(name, limitMs)
        : (limitMessage(`scripts.${name}`, end.outcome) ?? `scripts.${name} ended with exit code ${end.exitCode}.`);
    return `${why} ${causeOf({ ...end, stderr: end.told.stderr }, 500, folder)}`.trim();
  } finally {
    log.end();
  }
}

const healthCheckPauseMs = 500;

/** Runs a script where the version runs; says why it failed, undefined if it did not. */
export type RunScript = (script: ScriptToRun) => Promise<string | undefined>;

const outOfTime = "It is not asked again beyond timeouts.implementation_minutes.";

/**
 * What `scripts.health_check` says of a program that runs, after `health_check_retries`, as far as there is time for them;
 * undefined if it is content.
 */
export async function runHealthCheck(
  run: RunScript,
  origin: string,
  script: Omit<ScriptToRun, "name">,
): Promise<string | undefined> {
  const { port, hostname } = new URL(origin);
  const env = { ...script.env, PORT: port, HOST: hostname, URL: origin };
  const lastStartMs = performance.now() + script.limitMs - healthCheckPauseMs;
  for (let retries = script.document.guardrails.deployment.health_check_retries; ; retries -= 1) {
    const toRun = { ...script, env, name: "health_check", limitMs: maxHealthCheckMs } as const;
    const reason = await run(toRun);
    if (reason === undefined || retries <= 0) return reason;
    if (performance.now() > lastStartMs) return `${reason} ${outOfTime}`;
    await delay(healthCheckPauseMs, undefined, { signal: script.signal });
  }
}
