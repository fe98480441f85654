import type { CompleteSpec } from "@slipway/spec";
import type { Failure } from "../platform/errors/index.ts";

/** The document of a project, resolved for an environment; the top level's name is empty. */
export type FindDocument = (projectId: string, environment: string) => Promise<CompleteSpec>;

/** The secrets of a project's document for an environment, or why they cannot be had. */
export type FindSecrets = (
  projectId: string,
  environment: string,
) => Promise<{ readonly values: Readonly<Record<string, string>> } | Failure>;
