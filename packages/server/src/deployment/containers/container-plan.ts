import type { EngineCommand } from "./run-engine.ts";

/** How a program of a release runs in a container. It holds no secrets, so it can be stored. */
export interface ContainerPlan {
  /** The engine that has the image. */
  readonly engine: EngineCommand;
  /** The image's id: nobody can put another one under it. */
  readonly image: string;
  /** The image says how it starts; else its shell runs the program's command. */
  readonly startsItself: boolean;
  /** Where the command runs, if the image does not say. */
  readonly workingFolder?: string;
}

/** Where the files of a result are in images of ours. */
export const filesInside = "/app";

/** Where a container finds the data of its deployment. */
export const dataInside = "/data";
