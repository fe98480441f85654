import type { Command } from "commander";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/** Makes a command; its action tells how it ended through `end`. */
export type MakeCommand = (terminal: Terminal, end: (code: ExitCode) => void) => Command;
