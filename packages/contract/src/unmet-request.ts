import { type Static, Type } from "./schema.ts";

/** Something that the document says and the result does not have. */
export const UnmetRequest = Type.Object(
  {
    pointer: Type.String({ description: "The JSON Pointer of what the document says.", examples: ["/pages/2/layout"] }),
    line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: "The line number in the document. Null for a default.",
    }),
    reason: Type.String({ description: "Why it is not built, or that nothing uses it." }),
  },
  { description: "What of the document is not used or not built." },
);

export type UnmetRequest = Static<typeof UnmetRequest>;
