export { readGitRemotes } from "./git-remotes.ts";
export { gitHookRoutes } from "./routes.ts";
