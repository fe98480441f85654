import { commandDefaults } from "../schema/acceptance.ts";
import { lastArrow } from "./integration-step.ts";

/** A command line and the exit code that it must return. */
export interface CommandLine {
  readonly command: string;
  readonly exitCode: number;
  /** A number after the arrow that is not an exit code; it stays part of the command. */
  readonly impossibleCode?: string;
}

/** Parses `<command> → <exit code>`; anything else after an arrow is part of the command. */
export function parseCommandLine(line: string): CommandLine {
  const arrow = lastArrow(line);
  const number = arrow && /^\s*([-+]?\d+)\s*$/.exec(line.slice(arrow.end))?.[1];
  const whole = { command: line.trim(), exitCode: commandDefaults.exit_code };
  if (arrow === undefined || number === undefined) return whole;
  if (!/^\d{1,3}$/.test(number) || Number(number) > 255) return { ...whole, impossibleCode: number };
  return { command: line.slice(0, arrow.start).trim(), exitCode: Number(number) };
}
