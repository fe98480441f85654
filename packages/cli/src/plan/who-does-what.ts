import { type CompleteSpec, findWrittenLines, handOn, planWork, restRole, writtenPointer } from "@slipway/spec";
import type { HandedOn } from "../foreseen/handed-on.ts";
import type { Foreseen } from "./find-unmet.ts";

/** The plan of a document with the tasks of whoever finishes what no rule builds, and what nobody does. */
export function whoDoesWhat(document: CompleteSpec, text: Uint8Array, { unmet, finisher }: Foreseen) {
  const plan = planWork(document);
  if (finisher === null || unmet === undefined) return { plan, unmet, handedOn: [] };
  const written = findWrittenLines(
    text,
    unmet.map(({ pointer }) => pointer),
  );
  const rest = unmet.map(({ pointer, reason }) => ({ pointer, reason, ...written.get(pointer) }));
  const whole = handOn(plan, document, rest);
  const finishing = whole.tasks.filter(({ role }) => role === restRole);
  const taskOf = new Map(finishing.flatMap(({ id, serves }) => serves.map((pointer) => [pointer, id])));
  const handedOn = unmet.flatMap((request): HandedOn[] => {
    const task = taskOf.get(writtenPointer(document, request.pointer));
    return task === undefined ? [] : [{ ...request, task, agent: finisher }];
  });
  return {
    plan: whole,
    unmet: unmet.filter(({ pointer }) => !taskOf.has(writtenPointer(document, pointer))),
    handedOn,
  };
}
