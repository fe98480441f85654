import type { CompleteSpec } from "@slipway/spec";
import type { FoundSecrets } from "../../platform/secrets/index.ts";

/** Finds the values of the secrets of a project's document, or why they cannot be had. */
export type FindSecrets = (projectId: string, document: Pick<CompleteSpec, "secrets">) => Promise<FoundSecrets>;
