import { type Static, Type } from "./schema.ts";

export const verdicts = ["passed", "failed", "not_checked", "waived"] as const;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** How many lines of a document have which verdict. */
export const VerdictCounts = Type.Object(
  {
    passed: Count("The number of lines that hold."),
    failed: Count("The number of lines that do not hold."),
    not_checked: Count("The number of lines that nobody checked."),
    waived: Count("The number of lines whose findings the document waives."),
  },
  { description: "How many lines of the document have which verdict." },
);

export type VerdictCounts = Static<typeof VerdictCounts>;
