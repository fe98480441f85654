import { object } from "../schema/shape.ts";
import { auth } from "./auth.ts";
import { dataModel } from "./data-model.ts";
import { pathFromRoot } from "./fields.ts";

/** Paths of a service that are not those of a resource. */
export const endpoints = object("Where the service answers about itself.", {
  health: pathFromRoot("Whether it is well: `/health`, and this one.", "/healthz"),
  metrics: pathFromRoot("What it counted, for Prometheus; `/metrics` unless said.", "/metrics"),
  openapi: pathFromRoot("What it offers, as OpenAPI; `/openapi.json` unless said.", "/openapi.json"),
  docs: pathFromRoot("The same as a page for people; `/docs` unless said.", "/docs"),
  export: pathFromRoot("Everything that is stored, as JSON; not served unless said.", "/api/export"),
});

/** What a document of this type may say beyond the keys of every document. */
export const api = object("What an `api` is made from.", {
  data_model: dataModel,
  base_path: pathFromRoot("What the paths begin with that the document does not write out.", "/api"),
  auth,
  endpoints,
});
