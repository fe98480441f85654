export type { HealthCheck, ProgramPlan, ReleasePlan } from "./release-plan.ts";
export type {
  DeploymentStatus,
  PrepareResult,
  RouteShare,
  Supervision,
  SupervisorEvent,
} from "./supervision.ts";
export { Supervisor } from "./supervisor.ts";
export { SupervisorProcess, supervisorSocketName } from "./supervisor-process.ts";
export { SupervisorSocket } from "./supervisor-socket.ts";
