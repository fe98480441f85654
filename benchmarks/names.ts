/** Every benchmark, in the order in which `npm run bench:all` runs them. */
export const names = [
  "parse-spec",
  "http",
  "engine",
  "sandbox",
  "supervisor",
  "artifacts",
  "blueprints",
  "webhooks",
  "scans",
  "verification",
  "proxy",
  "cli",
  "dashboard",
];
