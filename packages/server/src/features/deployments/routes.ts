import type { Database } from "../../platform/database/index.ts";
import { type Handlers, type Principal, versionOfContent } from "../../platform/http/index.ts";
import { requireReadable, requireReadableApplication, showApplication } from "../projects/index.ts";
import { type ChangeDeps, changeRoutes } from "./change-deployment.ts";
import { type PromoteDeps, promoteRoutes } from "./promote.ts";
import { requireDeployment } from "./require-deployment.ts";
import { showDeployments, showRelease } from "./show-deployment.ts";
import { selectDeployments, selectShownReleases } from "./store.ts";

type DeploymentHandlers = Pick<
  Handlers,
  | "readApplication"
  | "listDeployments"
  | "readDeployment"
  | "listReleases"
  | keyof ReturnType<typeof changeRoutes>
  | keyof ReturnType<typeof promoteRoutes>
>;

/** How many versions an answer lists. */
const maxReleases = 100;

/** Reads what is live of applications, and changes it by commands. */
export function deploymentRoutes(deps: ChangeDeps & PromoteDeps): DeploymentHandlers {
  const { db } = deps;
  return {
    readApplication: async ({ params, principal }) => {
      const application = await requireReadableApplication(db, params.application_id, principal);
      const deployments = await showDeployments(deps, await selectDeployments(db, application.id));
      return { status: 200, body: { ...showApplication(application), deployments } };
    },

    listDeployments: async ({ params, principal }) => {
      const { id } = await requireReadableApplication(db, params.application_id, principal);
      return { status: 200, body: { deployments: await showDeployments(deps, await selectDeployments(db, id)) } };
    },

    readDeployment: async ({ params, principal }) => {
      const row = await findReadable(db, params, principal);
      const [deployment] = await showDeployments(deps, [row]);
      const filter = { deploymentId: row.id, limit: maxReleases };
      const body = { ...deployment!, releases: (await selectShownReleases(db, filter)).map(showRelease) };
      // Without the requests that were counted: they are no change that somebody would have to see first.
      const version = versionOfContent(JSON.stringify(body, (key, value: unknown) => (key === "traffic" ? 0 : value)));
      return { status: 200, body, version };
    },

    listReleases: async ({ params, principal }) => {
      await requireReadable(db, params.project_id, principal);
      const releases = await selectShownReleases(db, { projectId: params.project_id, limit: maxReleases });
      return { status: 200, body: { releases: releases.map(showRelease) } };
    },

    ...changeRoutes(deps),
    ...promoteRoutes(deps),
  };
}

async function findReadable(
  db: Database,
  { application_id, environment }: { readonly application_id: string; readonly environment: string },
  principal: Principal,
) {
  const { id } = await requireReadableApplication(db, application_id, principal);
  return requireDeployment(db, id, environment);
}
