export {
  type ContainerSettings,
  ContainerStarter,
  Containers,
  containerTarget,
  findEngine,
  sweepLeftContainers,
} from "./containers/index.ts";
export { Deployments, versionOf } from "./deployments.ts";
export { type DeploymentTarget, processTarget } from "./find-target.ts";
export { readHostId } from "./host-id.ts";
export { keptReleases } from "./kept-releases.ts";
export {
  type KubernetesSettings,
  kubernetesLink,
  kubernetesTarget,
  readKubernetesSettings,
} from "./kubernetes/index.ts";
export type { OpenRelease } from "./open-release.ts";
export { ReleaseFolders } from "./release-folders.ts";
export {
  findDeployingProject,
  findPreviousRelease,
  findRelease,
  type ReleaseRow,
  selectReleases,
} from "./release-store.ts";
export { isServer, publishRelease } from "./releases/index.ts";
export { deploymentStatus, deploymentUrl } from "./show-state.ts";
export { readSshSettings, type SshSettings, sshLink, sshTargets } from "./ssh/index.ts";
export {
  type DeploymentRow,
  findDeployment,
  findNames,
  lockDeployment,
  noteStopped,
  selectDeploymentsOf,
} from "./store.ts";
export {
  endSupervisors,
  keptAlive,
  Supervisor,
  type SupervisorEvent,
  SupervisorGone,
  SupervisorProcess,
  SupervisorSocket,
  supervisorSocketName,
} from "./supervisor/index.ts";
export { insideSupervisor, type SupervisorLink } from "./supervisor-link.ts";
export { goBack } from "./want-earlier-version.ts";
export type { BroughtLive, WentLive } from "./went-live.ts";
