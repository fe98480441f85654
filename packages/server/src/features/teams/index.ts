export { mapTeams } from "./map-teams.ts";
export { requireTeam, teamOfNew } from "./require-team.ts";
export { teamRoutes } from "./routes.ts";
export { ensureTeam, leaveMappedTeams } from "./store.ts";
