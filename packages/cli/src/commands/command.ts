import type { Command } from "commander";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Makes a command; its action tells how it ended through `end`. What the action needs is imported when it runs, so that
 * the other commands start quickly.
 */
export type MakeCommand = (terminal: Terminal, end: (code: ExitCode) => void) => Command;
