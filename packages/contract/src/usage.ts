import { type Static, Type } from "./schema.ts";

const OrUnknown = (description: string) => Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });

export const Usage = Type.Object(
  {
    input_tokens: OrUnknown("Input tokens. Null if unknown."),
    output_tokens: OrUnknown("Output tokens. Null if unknown."),
    cost_usd: OrUnknown("The cost in US dollars. Null if unknown."),
  },
  { description: "The usage that agents report. Unknown usage is null, never 0." },
);
export type Usage = Static<typeof Usage>;

export const TotalUsage = Type.Object(
  {
    ...Usage.properties,
    is_complete: Type.Boolean({
      description: "Whether every attempt reported its usage. If false, the real usage is higher.",
    }),
  },
  { description: "The total usage that agents report. Null if no attempt reported any." },
);
export type TotalUsage = Static<typeof TotalUsage>;
