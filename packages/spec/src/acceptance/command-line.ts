import { commandDefaults } from "../schema/acceptance.ts";
import { lastArrow } from "./integration-step.ts";

/** A command as a line of text, and what it must end with. */
export interface CommandLine {
  readonly command: string;
  readonly exitCode: number;
  /** A number behind the arrow with which no command ends: it stayed a part of the command. */
  readonly impossibleCode?: string;
}

/** Reads `<command> → <exit code>`; what follows an arrow and is no exit code belongs to the command. */
export function parseCommandLine(line: string): CommandLine {
  const arrow = lastArrow(line);
  const number = arrow && /^\s*([-+]?\d+)\s*$/.exec(line.slice(arrow.end))?.[1];
  const whole = { command: line.trim(), exitCode: commandDefaults.exit_code };
  if (arrow === undefined || number === undefined) return whole;
  if (!/^\d{1,3}$/.test(number) || Number(number) > 255) return { ...whole, impossibleCode: number };
  return { command: line.slice(0, arrow.start).trim(), exitCode: Number(number) };
}
