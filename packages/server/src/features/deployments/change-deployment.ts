import { setTimeout as delay } from "node:timers/promises";
import { type DeploymentRow, findDeployment, findRelease, lockDeployment } from "../../deployment/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Answer, Call, Handlers, Principal, Transact } from "../../platform/http/index.ts";
import { recordChange } from "../audit/index.ts";
import { requireOwnApplication } from "../projects/index.ts";
import { requireRunning, rollBack } from "./request-rollback.ts";
import {
  type Changed,
  noSuchDeployment,
  requireDeployment,
  requireNoneDeploying,
  requirePrograms,
  requireVersion,
} from "./require-deployment.ts";
import { environmentName, type ShowDeps, showDeployments } from "./show-deployment.ts";
import { deleteDeployment, want } from "./store.ts";

export interface ChangeDeps extends ShowDeps {
  readonly clock: Clock;
  readonly transact: Transact;
  /** Brings a deployment to what people want of it, where it lives; resolves at once if that is another node. */
  readonly settle: (deploymentId: string) => Promise<void>;
  /** Called after an event of a project was committed. */
  readonly onProjectChanged: (projectId: string) => void;
}

type ChangeHandlers = Pick<
  Handlers,
  | "rollBackDeployment"
  | "stopDeployment"
  | "startDeployment"
  | "restartDeployment"
  | "scaleDeployment"
  | "deleteDeployment"
>;

interface DeploymentCall extends Pick<Call, "request"> {
  readonly params: { readonly application_id: string; readonly environment: string };
  readonly principal: Principal;
}

interface Change {
  readonly action: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly work: (changed: Changed) => Promise<void>;
}

/** How long a request waits until the deployment is as wanted; it gets there without the request, too. */
const maxWaitMs = 45_000;

/** Commands on deployments: each saves what is wanted, and waits until that is so. */
export function changeRoutes(deps: ChangeDeps): ChangeHandlers {
  return {
    rollBackDeployment: async (call) => {
      const { release_id: asked, reason = "" } = call.body;
      let told = "";
      let wanted = "";
      const answer = await change(deps, call, {
        action: "deployment.rollback",
        detail: { ...(asked !== undefined && { release_id: asked }), ...(reason !== "" && { reason }) },
        work: async (changed) => {
          ({ told, wanted } = await rollBack(deps, changed, { asked, reason, by: call.principal.userName }));
        },
      });
      deps.onProjectChanged(told);
      return answer(async () => requireRunning(deps.db, wanted));
    },

    stopDeployment: async (call) => {
      const work = async ({ trx, row, now }: Changed) => {
        await requireNoneDeploying(trx, row.id);
        await want(trx, row.id, { wanted: "stopped", restart_asked_at: null }, now);
      };
      return (await change(deps, call, { action: "deployment.stop", work }))();
    },

    startDeployment: async (call) => {
      const work = async (changed: Changed) => {
        const { trx, row, now } = changed;
        requireVersion(changed);
        await want(trx, row.id, { wanted: "running" }, now);
      };
      return (await change(deps, call, { action: "deployment.start", work }))();
    },

    restartDeployment: async (call) => {
      const work = async (changed: Changed) => {
        const { trx, row, now } = changed;
        requirePrograms(changed);
        if (row.wanted === "stopped")
          throw new Refusal("conflict", `The deployment '${environmentName(row.environment)}' is stopped. Start it.`);
        await want(trx, row.id, { restart_asked_at: now }, now);
      };
      return (await change(deps, call, { action: "deployment.restart", work }))();
    },

    scaleDeployment: async (call) => {
      const { replicas } = call.body;
      const work = async (changed: Changed) => {
        const { trx, row, now } = changed;
        requirePrograms(changed);
        await want(trx, row.id, { replicas }, now);
      };
      return (await change(deps, call, { action: "deployment.scale", detail: { replicas }, work }))();
    },

    deleteDeployment: async (call) => {
      const row = await requireOwn(deps, call);
      const answer = await deps.transact(call, async (trx) => {
        if ((await lockDeployment(trx, row.id)) === undefined) throw noSuchDeployment(call.params.environment);
        await requireNoneDeploying(trx, row.id);
        await deleteDeployment(trx, row.id);
        const detail = { application_id: row.application_id, environment: row.environment };
        await recordChange(trx, deps.clock, call, { action: "deployment.delete", target: row.id, detail });
        return { status: 204 };
      });
      await settled(deps, row.id);
      return answer;
    },
  };
}

/** Saves a change; the function it returns waits for its effect, and answers with the deployment as it is then. */
async function change(deps: ChangeDeps, call: DeploymentCall, { action, detail = {}, work }: Change) {
  const { db, clock, transact, addressHost } = deps;
  const { id } = await requireOwn(deps, call);
  const show = async (from: ChangeDeps["db"] | Transaction) => {
    const row = await findDeployment(from, id);
    return row && (await showDeployments({ db: from, addressHost }, [row]))[0];
  };
  const saved = await transact(call, async (trx) => {
    const row = await lockDeployment(trx, id);
    if (row === undefined) throw noSuchDeployment(call.params.environment);
    const release = row.release_id === null ? undefined : await findRelease(trx, row.release_id);
    await work({ trx, row, release, now: clock.now() });
    await recordChange(trx, clock, call, { action, target: id, detail });
    return { status: 200, body: await show(trx) };
  });
  return async (check?: () => Promise<void>): Promise<Answer> => {
    await settled(deps, id);
    await check?.();
    // Somebody may have deleted it meanwhile.
    return { ...saved, body: (await show(db)) ?? saved.body };
  };
}

async function requireOwn({ db }: ChangeDeps, { params, principal }: DeploymentCall): Promise<DeploymentRow> {
  const { id } = await requireOwnApplication(db, params.application_id, principal);
  return requireDeployment(db, id, params.environment);
}

async function settled({ settle }: ChangeDeps, deploymentId: string): Promise<void> {
  const isDone = new AbortController();
  const limit = delay(maxWaitMs, undefined, { signal: isDone.signal, ref: false }).catch(() => undefined);
  await Promise.race([settle(deploymentId), limit]);
  isDone.abort();
}
