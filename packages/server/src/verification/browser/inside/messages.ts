import type { WrittenStep } from "../flow-step.ts";

/** What the program in the sandbox gets on standard input. */
export interface FlowsToCarryOut {
  /** The browser. */
  readonly program: string;
  readonly hasOwnSandbox: boolean;
  /** Of the software: where paths are opened. */
  readonly origin: string;
  /** The ports that pages may reach. */
  readonly ports: readonly number[];
  /** Where there is a socket for each of these ports; undefined: they are reached directly. */
  readonly socketFolder?: string;
  readonly flows: readonly (readonly WrittenStep[])[];
  /** The number of the first one, for the names of files. */
  readonly first: number;
  /** For each thing that is looked for, and for a whole flow. */
  readonly stepMs: number;
  readonly flowMs: number;
}

/** How a flow ended. */
export interface FlowEnd {
  /** The step that could not be done, and why; undefined: all were done. */
  readonly failed?: { readonly step: number; readonly why: string; readonly context: string };
  /** The browser did not answer any more. */
  readonly isStuck: boolean;
  readonly durationMs: number;
  /** What the page shows in the picture; undefined where that is too much to tell. */
  readonly pageText?: string;
  /** Files in the folder. */
  readonly picture?: string;
  readonly trace?: string;
  /** What the page asked for and did not get. */
  readonly blocked: readonly string[];
}

/** What it says on standard output: which step begins, and how each flow ended. */
export type Message = { readonly is: "step"; readonly step: number } | ({ readonly is: "done" } & FlowEnd);
