import { processTerminal } from "./output/terminal.ts";
import { runCommandLine } from "./run-command-line.ts";

process.exitCode = await runCommandLine(processTerminal(), process.argv.slice(2));
