import type { outcomeTypes } from "../schema/document.ts";
import type { Complete, JsonSchema } from "../schema/shape.ts";
import { api } from "./api.ts";
import { cli } from "./cli.ts";
import { desktopApp } from "./desktop-app.ts";
import { documentation } from "./documentation.ts";
import { game } from "./game.ts";
import { infrastructure } from "./infrastructure.ts";
import { library } from "./library.ts";
import { mlPipeline } from "./ml-pipeline.ts";
import { mobileApp } from "./mobile-app.ts";
import { webApp } from "./web-app.ts";

/** A type that needs no plugin. */
export type BuiltInType = keyof typeof outcomeTypes;

/** The keys that each built-in type adds to a document. */
export const vocabularies = {
  "web-app": webApp,
  api,
  cli,
  game,
  library,
  "ml-pipeline": mlPipeline,
  "mobile-app": mobileApp,
  "desktop-app": desktopApp,
  infrastructure,
  documentation,
} satisfies Readonly<Record<BuiltInType, JsonSchema>>;

/** What a document of the type says, beyond the keys of every document. */
export type TypeKeys<Name extends BuiltInType> = Complete<(typeof vocabularies)[Name]>;

/** The keys that a built-in type adds; undefined for a type of a plugin. */
export function vocabularyOf(outcomeType: unknown): JsonSchema | undefined {
  if (typeof outcomeType !== "string" || !Object.hasOwn(vocabularies, outcomeType)) return undefined;
  return vocabularies[outcomeType as BuiltInType];
}
