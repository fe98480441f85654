import { object } from "../schema/shape.ts";

/** What a document of this type may say beyond the keys of every document. */
export const cli = object("What a `cli` is made from.", {});
