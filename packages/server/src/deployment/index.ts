export {
  type DeploymentReport,
  Deployments,
  type DeploymentsDeps,
  type LiveDeployment,
  type OpenRelease,
} from "./deployments.ts";
export type { DeploymentNews } from "./health.ts";
export { readHostId } from "./host-id.ts";
export { isServer, type PublishedRelease, publishRelease } from "./releases/index.ts";
export type { DeploymentRow, ReleaseRow } from "./store.ts";
export {
  Supervisor,
  type SupervisorEvent,
  SupervisorProcess,
  SupervisorSocket,
  supervisorSocketName,
} from "./supervisor/index.ts";
export { insideSupervisor, type SupervisorLink } from "./supervisor-link.ts";
