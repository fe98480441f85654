import { topLevelEnvironment } from "@slipway/contract";
import { type DeploymentRow, findDeployingProject, type ReleaseRow } from "../../deployment/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import { environmentName } from "./show-deployment.ts";
import { selectDeployments } from "./store.ts";

/** The deployment that a path means: by its environment, or by its id. */
export async function requireDeployment(db: Database, applicationId: string, name: string): Promise<DeploymentRow> {
  const environments = name === topLevelEnvironment ? [name, ""] : [name];
  const [found, ...others] = await selectDeployments(db, applicationId, { environments, id: name });
  if (found === undefined) throw noSuchDeployment(name);
  if (others.length > 0) {
    // The document has an environment that is called like the top level.
    const ids = [found, ...others].map(({ id, environment }) => `${id} (${environment || "the top level"})`);
    throw new Refusal("conflict", `'${name}' may mean ${ids.join(" or ")}. Use the deployment's id in its place.`);
  }
  return found;
}

export function noSuchDeployment(name: string): Refusal {
  return new Refusal("not_found", `The application has no deployment '${name}'.`);
}

/** A deployment that is being changed, with the version that is live or wanted. */
export interface Changed {
  readonly trx: Transaction;
  readonly row: DeploymentRow;
  readonly release: ReleaseRow | undefined;
  readonly now: Date;
}

/** Refuses while a version is on its way: when it goes live, it would undo the change. */
export async function requireNoneDeploying(trx: Transaction, deploymentId: string): Promise<void> {
  const projectId = await findDeployingProject(trx, deploymentId);
  if (projectId !== undefined)
    throw new Refusal("conflict", `${projectId} is deploying a version of it. Wait for its end, or cancel it.`);
}

export function requireVersion({ row, release }: Changed): ReleaseRow {
  if (release !== undefined) return release;
  const name = environmentName(row.environment);
  throw new Refusal("conflict", `The deployment '${name}' has no version to run. Deploy one, or roll back to one.`);
}

/** Refuses what is only copied, installed or served by others: there is nothing of it to restart or to multiply. */
export function requirePrograms(changed: Changed): void {
  const { kind, plan } = requireVersion(changed);
  if (plan !== null) return;
  const name = environmentName(changed.row.environment);
  throw new Refusal("conflict", `The deployment '${name}' has no programs that run: it is a ${kind}.`);
}
