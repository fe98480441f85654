import { type Promotion, topLevelEnvironment } from "@slipway/contract";
import type { ResolvedSpec } from "@slipway/spec";
import { deploymentUrl, findRelease } from "../../deployment/index.ts";
import {
  type CommitDeps,
  type CommitResult,
  commandRun,
  findPromotionInFlight,
  type Promotion as PromotionState,
  type RunState,
  readRun,
} from "../../engine/lifecycle/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Handlers, Transact } from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { promotionTarget, requireOwn, requireReadable } from "../projects/index.ts";
import { environmentName } from "./show-deployment.ts";
import { selectDeployments } from "./store.ts";

export interface PromoteDeps extends CommitDeps {
  readonly db: Database;
  readonly transact: Transact;
  /** Where deployed software listens. */
  readonly addressHost: string;
  /** The document of a project, for an environment if one is named. */
  readonly findResolved: (projectId: string, environment?: string) => Promise<ResolvedSpec>;
  /** Called after a command was committed. */
  readonly onCommit: (result: CommitResult) => void;
}

/** Takes the result of a project to further environments, and shows where it stands there. */
export function promoteRoutes(deps: PromoteDeps): Pick<Handlers, "deployProject" | "listPromotions"> {
  const { db, clock, plans, transact } = deps;
  return {
    deployProject: async (call) => {
      const { id, application_id } = await requireOwn(db, call.params.project_id, call.principal);
      const environment = await requireEnvironment(deps, id, call.body.environment);
      const target = promotionTarget(await deps.findResolved(id, environment));
      let result: CommitResult | undefined;
      const answer = await transact(call, async (trx) => {
        const before = (await readRun(trx as Database, plans, id))?.state;
        const known = before && (await findLive(deps, { id, application_id, environment, state: before }));
        if (known !== undefined) return { status: 202, body: known };
        result = await commandRun(deps, trx, id, { type: "promote", target });
        await recordChange(trx, clock, call, { action: "project.deploy", target: id, detail: { environment } });
        const { state } = (await readRun(trx as Database, plans, id))!;
        return { status: 202, body: show(id, environment, state.promotions!.of[environment]!, state) };
      });
      if (result !== undefined) deps.onCommit(result);
      return answer;
    },

    listPromotions: async ({ params: { project_id: id }, principal }) => {
      await requireReadable(db, id, principal);
      const state = (await readRun(db, plans, id))?.state;
      const all = Object.entries(state?.promotions?.of ?? {}).toSorted(([, a], [, b]) => a.number - b.number);
      const promotions = all.map(([environment, promotion]) => show(id, environment, promotion, state!));
      return { status: 200, body: { promotions } };
    },
  };
}

/** The environment of the document that a request names; the top level's name is empty. */
async function requireEnvironment({ findResolved }: PromoteDeps, projectId: string, name: string): Promise<string> {
  const { document } = await findResolved(projectId);
  const environments = Object.keys(document.environments ?? {});
  if (environments.includes(name)) return name;
  if (name === topLevelEnvironment) return "";
  const known = [...environments, topLevelEnvironment].join(", ");
  throw new Refusal("not_found", `The document has no environment '${name}'. It has: ${known}.`);
}

interface Asked {
  readonly id: string;
  readonly application_id: string;
  readonly environment: string;
  readonly state: RunState;
}

/** The very same result, if it is live there and nothing else is on its way. */
async function findLive(
  { db, addressHost }: PromoteDeps,
  { id, application_id, environment, state }: Asked,
): Promise<Promotion | undefined> {
  if (state.status !== "deployed" || findPromotionInFlight(state, environment) !== undefined) return undefined;
  const rows = await selectDeployments(db, application_id, { environments: [environment], id: "" });
  const row = rows.find((one) => one.environment === environment);
  const release = row?.release_id ? await findRelease(db, row.release_id) : undefined;
  const isSame = release?.project_id === id && release.version === state.deployment?.version;
  if (row === undefined || release?.status !== "live" || !isSame || row.wanted !== "running") return undefined;
  const url = release.plan === null ? null : deploymentUrl(addressHost, row);
  return {
    ...{ project_id: id, environment: environmentName(environment), status: "live" },
    ...{ version: release.version, url, error: null },
  };
}

const statuses = {
  queued: "queued",
  asking: "waiting_for_approval",
  running: "deploying",
  live: "live",
  failed: "failed",
} as const satisfies Record<PromotionState["is"], Promotion["status"]>;

function show(
  projectId: string,
  environment: string,
  { is, url, error }: PromotionState,
  { deployment }: RunState,
): Promotion {
  return {
    ...{ project_id: projectId, environment: environmentName(environment), status: statuses[is] },
    ...{ version: deployment?.version ?? "", url: url === "" ? null : url, error },
  };
}
