import { type Static, Type } from "typebox";

const OrUnknown = (description: string) => Type.Union([Type.Number({ minimum: 0 }), Type.Null()], { description });

export const Usage = Type.Object(
  {
    input_tokens: OrUnknown("Tokens that its models read; null: unknown."),
    output_tokens: OrUnknown("Tokens that its models wrote; null: unknown."),
    cost_usd: OrUnknown("What it cost, in US dollars; null: unknown."),
  },
  { description: "What was used, as far as agents say so. Unknown is never 0." },
);
export type Usage = Static<typeof Usage>;

export const TotalUsage = Type.Object(
  {
    ...Usage.properties,
    is_complete: Type.Boolean({ description: "Whether all of it is known of every attempt; if not, it was more." }),
  },
  { description: "What was used in sum, as far as agents say so; null: unknown of every attempt." },
);
export type TotalUsage = Static<typeof TotalUsage>;
