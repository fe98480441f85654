import { object } from "../schema/shape.ts";

/** What a document of this type may say beyond the keys of every document. */
export const api = object("What an `api` is made from.", {});
