import { readTaskBreakdown } from "@slipway/spec";
import { answerQuestions } from "../../platform/bounded-thread.ts";
import type { BreakdownToRead } from "./read-breakdown.ts";

// A plain object, because the YAML library reads it for every token.
process.env = { ...process.env };

answerQuestions(async ({ source, document }: BreakdownToRead) => readTaskBreakdown(source, document));
