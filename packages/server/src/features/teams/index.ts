export { mapTeams } from "./map-teams.ts";
export { requireTeam, teamOfNew } from "./require-team.ts";
export { teamRoutes } from "./routes.ts";
export { leaveMappedTeams } from "./store.ts";
