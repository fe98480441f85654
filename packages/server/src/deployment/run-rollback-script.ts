import type { CompleteSpec } from "@slipway/spec";
import type { OutputLog } from "../platform/log/index.ts";
import type { Sandbox } from "../platform/sandbox/index.ts";
import { type Masked, Masker } from "../platform/secrets/index.ts";
import type { FindDocument, FindSecrets } from "./find-document.ts";
import type { ReleaseFolders } from "./release-folders.ts";
import type { ReleaseRow } from "./release-store.ts";
import { runDeploymentScript } from "./run-scripts.ts";
import type { DeploymentRow } from "./store.ts";

/** Opens the log of a project for what a program prints: it masks the secrets. */
export type OpenProjectLog = (
  projectId: string,
  source: string,
  masked: Pick<CompleteSpec, "debug"> & { readonly secrets: readonly string[] },
) => OutputLog;

interface Deps {
  readonly sandbox: Pick<Sandbox, "runCommand">;
  readonly minuteMs: number;
  readonly maxDiskBytes: number;
  readonly folders: ReleaseFolders;
  readonly findSecrets: FindSecrets;
  readonly findDocument: FindDocument;
  readonly openLog: OpenProjectLog;
}

interface Rollback {
  readonly row: DeploymentRow;
  /** The version that is left. */
  readonly from: ReleaseRow;
  /** The version that is to be live again. */
  readonly to: ReleaseRow;
  readonly signal: AbortSignal;
}

/**
 * Runs `scripts.rollback` of the version that is left: it knows what it has changed. What a script brought live is brought
 * back by the earlier version's own, where there is no such script. Says why it failed, undefined if it did not.
 */
export async function runRollback(deps: Deps, { row, from, to, signal }: Rollback): Promise<Masked | undefined> {
  const { sandbox, minuteMs, maxDiskBytes, folders, findDocument, findSecrets, openLog } = deps;
  const left = await findDocument(from.project_id, row.environment);
  const undo = left.scripts?.rollback;
  const isOwn = undo !== undefined;
  if (!isOwn && to.kind !== "script") return undefined;
  const [release, other] = isOwn ? [from, to] : [to, from];
  const document = isOwn ? left : await findDocument(to.project_id, row.environment);
  const command = undo ?? document.scripts?.deploy;
  if (command === undefined) return undefined;
  const secrets = await findSecrets(release.project_id, row.environment);
  if ("message" in secrets) return new Masker([]).mask(secrets.message);
  const masker = new Masker(Object.values(secrets.values));
  const dataFolder = await folders.makeData(row.id);
  const failure = await runDeploymentScript(sandbox, {
    ...{ name: isOwn ? "rollback" : "deploy", command, document, secrets: secrets.values },
    folder: folders.release(row.id, release.id),
    account: { name: row.id, folders: [dataFolder] },
    env: rollbackEnv({ release, other, environment: row.environment, dataFolder }),
    ...{ limitMs: document.timeouts.implementation_minutes * minuteMs, maxDiskBytes },
    signal,
    openLog: (source) =>
      openLog(release.project_id, source, { debug: document.debug, secrets: Object.values(secrets.values) }),
  });
  return failure === undefined ? undefined : masker.mask(failure);
}

/** What the script finds in its environment: its own version, and the one before or beside it. */
export function rollbackEnv({
  release,
  other,
  environment,
  dataFolder,
}: {
  readonly release: { readonly id: string; readonly version: string };
  readonly other: { readonly id: string; readonly version: string } | undefined;
  readonly environment: string;
  readonly dataFolder: string;
}): Readonly<Record<string, string>> {
  return {
    SLIPWAY_VERSION: release.version,
    SLIPWAY_RELEASE: release.id,
    SLIPWAY_PREVIOUS_VERSION: other?.version ?? "",
    SLIPWAY_PREVIOUS_RELEASE: other?.id ?? "",
    SLIPWAY_ENVIRONMENT: environment,
    SLIPWAY_DATA_DIR: dataFolder,
  };
}
