import { commands } from "./commands.ts";

/** How `slipway --help` groups the commands: what people do first comes first. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "Write documents": ["init", "validate", "plan", "explain", "schema"],
  "Run them": ["run", "projects", "logs", "artifacts", "source"],
  "Use the result": ["apps", "open"],
  "Find faults": ["debug", "diagnose", "health-check", "doctor"],
  "Agents and hooks": ["agents", "worker", "webhooks", "plugins"],
  Access: [
    "login",
    "logout",
    "whoami",
    "contexts",
    "sessions",
    "users",
    "teams",
    "service-accounts",
    "keys",
    "secrets",
    "audit",
    "admin-token",
  ],
  "The service": ["serve", "config", "service", "backup", "restore"],
  Other: ["upgrade", "completion", "version", "help"],
};

const maxColumns = 80;
const headingColumns = 18;

/** What `slipway --help` prints: within a screen of 24 lines and 80 columns. */
export function rootHelp(): string {
  const known = new Set([...Object.values(groups).flat()]);
  const others = commands.map(({ name }) => name).filter((name) => !known.has(name));
  const all = { ...groups, Other: [...groups["Other"]!, ...others] };
  return `Takes a specification document for a piece of software and brings it to life.

Usage: slipway <command> [options]
       slipway run app.yaml         run a document and see what becomes of it
       slipway <command> --help     explain a command, with examples

${Object.entries(all)
  .map(([heading, names]) => wrapped(heading, names))
  .join("\n")}

Every command takes --json (or --output yaml) and says its exit codes in --help.
`;
}

function wrapped(heading: string, names: readonly string[]): string {
  const lines = [`  ${heading.padEnd(headingColumns)}`];
  for (const name of names) {
    const last = lines.at(-1)!;
    if (last.length + name.length + 1 > maxColumns) lines.push(`${" ".repeat(headingColumns + 2)}${name}`);
    else lines[lines.length - 1] = last.endsWith(" ") ? last + name : `${last}  ${name}`;
  }
  return lines.join("\n");
}
