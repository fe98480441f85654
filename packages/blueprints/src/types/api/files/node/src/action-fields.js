import { refuseUnless } from "./access.js";
import { isTrue } from "./expressions.js";
import { HttpError } from "./http.js";
import { relatedIn } from "./references.js";
import { defaultOf } from "./validate.js";

/** The fields that actions set. Where a record is replaced, they stay as they are unless they are given. */
export function actionFields({ actions }) {
  return [...new Set(Object.values(actions).flatMap(({ sets }) => Object.keys(sets)))];
}

/**
 * Refuses a value that the actor could not have set by an action: whoever may not do all that sets a field may not choose
 * it in another way, and a value that an action sets is set only where the action could. `sent` is what the caller gave.
 */
export function refuseBypass(context, actor, { sent, record, known }) {
  const { resource } = context;
  const before = known ?? { ...record, ...firstValues(resource) };
  const changed = actionFields(resource).filter(
    (field) => Object.hasOwn(sent, field) && !isSame(record[field], before[field]),
  );
  for (const field of changed) {
    const acting = Object.entries(resource.actions).filter(([, { sets }]) => Object.hasOwn(sets, field));
    for (const [name, { access }] of acting)
      refuseUnless(access, actor, { resource, record: known, what: `choose ${field}, which '${name}' sets` });
    const same = acting.filter(([, { sets }]) => isSame(sets[field], record[field]));
    if (same.length === 0 || same.some(([, { when }]) => isTrue(when, before, relatedIn(context)))) continue;
    const problem = `cannot become this as the ${resource.title} is now`;
    throw new HttpError(409, "conflict", `${field} ${problem}.`, { fields: { [field]: problem } });
  }
}

/** What a new record has where nobody chooses. */
function firstValues(resource) {
  return Object.fromEntries(actionFields(resource).map((name) => [name, defaultOf(resource.fields[name]) ?? null]));
}

function isSame(a, b) {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null);
}
