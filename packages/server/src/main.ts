import { runCommand } from "./app/run-command.ts";

// A plain object: each look into the real one asks the system, and the YAML library looks for every token.
process.env = { ...process.env };
await runCommand(process.argv.slice(2));
