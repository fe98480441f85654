import { findOutcomeType } from "@slipway/blueprints";
import { answerQuestions } from "../../../platform/bounded-thread.ts";
import type { BuiltFile, OutcomeAnswer, OutcomeQuestion } from "./outcome-types.ts";

answerQuestions(async ({ document, task }: OutcomeQuestion): Promise<OutcomeAnswer> => {
  const type = findOutcomeType(document.outcome_type);
  if (type === undefined) throw new Error(`has no outcome type '${document.outcome_type}'`);
  if (task === undefined) return { plan: type.plan(document) };
  const files: BuiltFile[] = [];
  await type.build(task, {
    document,
    // What is there is compared when the files are written.
    read: async () => undefined,
    write: async (path, content, { isExecutable = false } = {}) => {
      files.push({ path, content, isExecutable });
    },
  });
  return { files };
});
