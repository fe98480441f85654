import type { AgentEvent } from "../driver.ts";
import type { Fields } from "./json-fields.ts";

/** A command-line agent: how it is called, and how what it prints is read. */
export interface CommandProfile {
  /** Its name in the config file. */
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  readonly command: string;
  /**
   * What it is called with, `{{…}}` filled in. Arguments in a list of their own are left out together where one of them has
   * no value. Where none of them holds the prompt, it comes by standard input.
   */
  readonly args: readonly Argument[];
  /** How a person installs it. */
  readonly install: string;
  /** Variables of the operator's that it is given if they are set, keys mostly; any one of `keys` is enough to log in. */
  readonly keys: readonly string[];
  readonly variables: readonly string[];
  /** Variables that it is always given. */
  readonly fixedVariables: Readonly<Record<string, string>>;
  readonly output: CommandOutput;
  /** How it is asked to stop: by an interrupt, after which it ends by itself, or not at all. */
  readonly stop: "interrupt" | "kill";
  /** Any program of the operator's. What it does with `--version` nobody knows: it is not started to see whether it is there. */
  readonly isAnyProgram?: true;
}

export type Argument = string | readonly string[];

/** How what it prints is read. What a reader does not know (`undefined`) becomes a line of the log. */
type CommandOutput =
  | { readonly is: "json_lines"; readonly read: (line: Fields) => readonly Reading[] | undefined }
  /** All of it is log; some lines say something besides. */
  | { readonly is: "text"; readonly read: (line: string) => readonly Reading[] };

/** What a line says. Mostly events; the rest becomes one only together with other lines. */
export type Reading =
  | Extract<AgentEvent, { type: "status" | "message" | "plan" | "file" }>
  /** A part of a message, which goes on with the next. */
  | { readonly type: "piece"; readonly text: string }
  /** A tool at work; the line that says that it is done has often no name. */
  | {
      readonly type: "tool";
      readonly id: string | undefined;
      readonly name: string | undefined;
      readonly detail: string;
      readonly isDone: boolean;
    }
  | Used
  /** Something went wrong. If it is not final, whatever it does next says that it got over it. */
  | { readonly type: "failure"; readonly message: string; readonly isFinal: boolean };

/** Tokens and money, of a step, of a message that is reported several times, or of the whole run so far. */
export interface Used {
  readonly type: "used";
  readonly of: "step" | "run" | { readonly message: string };
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Undefined: it does not say. */
  readonly costUsd: number | undefined;
}
