import { type CommandRouteDeps, commandRoutes } from "./command-routes.ts";
import { readRoutes } from "./read-routes.ts";

/** Reads the run of a project, and changes it by commands. */
export function runRoutes(deps: CommandRouteDeps): ReturnType<typeof readRoutes> & ReturnType<typeof commandRoutes> {
  return { ...readRoutes(deps), ...commandRoutes(deps) };
}
