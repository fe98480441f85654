import { Type } from "./schema.ts";

/** How requests name a team: by name or id. */
export const TeamName = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: `${description} A name or an id.`,
    examples: ["storefront"],
  });
