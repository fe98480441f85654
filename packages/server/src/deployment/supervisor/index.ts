export { endSupervisors } from "./end-supervisors.ts";
export { keptAlive } from "./kept-alive.ts";
export type { HealthCheck, ProgramPlan, ReleasePlan } from "./release-plan.ts";
export {
  type DeploymentStatus,
  type PrepareRequest,
  type PrepareResult,
  type ReleaseRef,
  type RoutedAddress,
  type RouteRequest,
  type RouteShare,
  type ScriptRequest,
  type Supervision,
  type SupervisorEvent,
  SupervisorGone,
  TargetFailure,
} from "./supervision.ts";
export { Supervisor } from "./supervisor.ts";
export { SupervisorProcess, supervisorSocketName } from "./supervisor-process.ts";
export { SupervisorSocket } from "./supervisor-socket.ts";
