export { runSupervisor } from "./run-supervisor.ts";
