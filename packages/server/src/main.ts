import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

// First: what is imported after it loads faster the second time.
enableCompileCache(fileURLToPath(new URL("../../../node_modules/.cache/slipway", import.meta.url)));
// A plain object: each look into the real one asks the system, and the YAML library looks for every token.
process.env = { ...process.env };
const { runCommand } = await import("./app/run-command.ts");
await runCommand(process.argv.slice(2));
