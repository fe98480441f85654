import { findWrittenLines } from "@slipway/spec";
import { answerQuestions } from "../../platform/bounded-thread.ts";
import type { LinesToFind } from "./read-written-lines.ts";

// A plain object, because the YAML library reads it for every token.
process.env = { ...process.env };

answerQuestions(async ({ content, pointers, environment }: LinesToFind) =>
  findWrittenLines(content, pointers, environment),
);
