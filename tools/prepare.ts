/** What `npm install` makes for quick starts, at once: the bundles of the programs and the dashboard. */
import { buildDashboard, ownDashboard } from "./build-dashboard.ts";
import { bundleProgram, command, service } from "./bundle-programs.ts";

await Promise.all([bundleProgram(service), bundleProgram(command), buildDashboard(ownDashboard)]);
