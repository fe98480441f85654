import { pointerPart } from "../../kit/pointer.ts";
import type { Unmet } from "../../plugin.ts";
import type { AuthModel, FieldModel, ResourceModel } from "./model.ts";
import type { PathShape } from "./path-shape.ts";
import { readAccess, readWho } from "./read-access.ts";
import type { DraftResource } from "./read-data-model.ts";
import { plain, serviceFields } from "./read-fields.ts";
import { allFields, noField, readCondition, readRules, recordScope } from "./read-rules.ts";
import { fittingSeed } from "./read-seed.ts";

/** A resource, and the shape of its path. */
export interface FoundResource {
  readonly model: ResourceModel;
  readonly shape: PathShape;
}

const defaultPageSize = 100;

/** Finishes the resources: lists, rules, access, actions and seed. */
export function readResources(
  drafts: readonly DraftResource[],
  auth: AuthModel,
  unmet: Unmet[],
): readonly FoundResource[] {
  return drafts.map((draft) => ({ shape: draft.shape, model: finish(draft, drafts, auth, unmet) }));
}

function finish(
  draft: DraftResource,
  drafts: readonly DraftResource[],
  auth: AuthModel,
  unmet: Unmet[],
): ResourceModel {
  const { name, title, written, path, parent, pointer } = draft;
  const { access, owner } = readAccess(draft, auth, unmet);
  const fields = withOwner(draft, owner, auth);
  const whole = { ...draft, fields };
  const scope = recordScope(whole, drafts);
  const { description, single, order, page_size: pageSize, list_key: listKey, methods, was } = written;
  if (single === true && written.actions !== undefined)
    unmet.push({ pointer: `${pointer}/actions`, reason: "What there is one of has no actions: change it with PATCH." });
  const actions = Object.entries((single === true ? undefined : written.actions) ?? {}).map(
    ([action, { sets, when, access: who, description: about }]) => {
      const place = `${pointer}/actions/${pointerPart(action)}`;
      const condition = readCondition(when, scope, `${place}/when`, unmet);
      const model = {
        ...(about !== undefined && { description: about }),
        sets: knownValues(sets ?? {}, whole, `${place}/sets`, unmet),
        ...(condition !== undefined && { when: condition }),
        access: who === undefined ? access.change : readWho([who].flat(), auth.accounts, `${place}/access`, unmet),
      };
      return [action, model] as const;
    },
  );
  const seed = (written.seed ?? []).map((record, index) =>
    knownValues(record, whole, `${pointer}/seed/${index}`, unmet, [
      ...serviceFields,
      ...(parent ? [parent.field] : []),
    ]),
  );
  if (single === true) unmet.push(...unlistedKeys(written, pointer));
  return {
    name,
    title,
    ...(description !== undefined && { description }),
    path,
    ...(parent !== undefined && { parent }),
    fields,
    ...(single === true && { is_single: true }),
    ...readLists(whole, unmet),
    ...(order !== undefined && isOrder(order, whole, unmet) && { order }),
    page_size: pageSize ?? defaultPageSize,
    list_key: listKey ?? "items",
    ...(methods !== undefined && { methods: [...methods] }),
    rules: readRules(whole, drafts, unmet),
    access,
    ...(owner !== undefined && { owner }),
    actions: Object.fromEntries(actions),
    seed: fittingSeed(seed, whole, drafts, unmet),
    ...(was !== undefined && { was }),
  };
}

/** What is said of the list of something that there is one of. */
function unlistedKeys(written: DraftResource["written"], pointer: string): readonly Unmet[] {
  const keys = (["page_size", "list_key", "order", "filters", "search", "sort"] as const).filter(
    (key) => written[key] !== undefined,
  );
  const reason = "There is one of it ('single'), so it has no list: leave this out.";
  return keys.map((key) => ({ pointer: `${pointer}/${key}`, reason }));
}

/** The account that made a record is noted by the service, and by nobody else. */
function withOwner(
  { fields }: DraftResource,
  owner: string | undefined,
  { accounts }: AuthModel,
): Readonly<Record<string, FieldModel>> {
  if (owner === undefined || owner === "id") return fields;
  const { required: _, ...rest } = fields[owner] ?? {};
  const field: FieldModel = { on_delete: "cascade", ...rest, type: "reference", is_owner: true };
  return {
    ...fields,
    [owner]: accounts === undefined ? { ...field, type: "any" } : { ...field, to: accounts.resource },
  };
}

const unlisted = ["object", "password", "any"];
const texts = ["string", "text", "email", "url", "enum"];

/** Fields that lists are filtered, searched and sorted by. */
function readLists(draft: DraftResource, unmet: Unmet[]): Pick<ResourceModel, "filters" | "search" | "sort"> {
  const { fields, written } = draft;
  const all = allFields(draft);
  const names = Object.keys(fields);
  const known = (key: "filters" | "search" | "sort", fallback: readonly string[]) =>
    written[key]?.filter((name, index) => {
      const isKnown = (Object.hasOwn(all, name) && all[name]!.type !== "password") || serviceFields.includes(name);
      if (!isKnown) unmet.push({ pointer: `${draft.pointer}/${key}/${index}`, reason: noField(name, draft, all) });
      return isKnown;
    }) ?? fallback;
  const listed = names.filter((name) => !unlisted.includes(fields[name]!.type));
  return {
    filters: known(
      "filters",
      listed.filter((name) => fields[name]!.type !== "text"),
    ),
    search: known(
      "search",
      names.filter((name) => texts.includes(fields[name]!.type)),
    ),
    sort: known("sort", [...listed.filter((name) => fields[name]!.type !== "list"), ...serviceFields]),
  };
}

function isOrder(order: string, draft: DraftResource, unmet: Unmet[]): boolean {
  const name = order.replace(/^-/, "");
  const all = allFields(draft);
  const isKnown = Object.hasOwn(all, name) || serviceFields.includes(name);
  if (!isKnown) unmet.push({ pointer: `${draft.pointer}/order`, reason: noField(name, draft, all) });
  return isKnown;
}

/** The values that are of fields; the others are reported. */
function knownValues(
  values: Readonly<Record<string, unknown>>,
  draft: DraftResource,
  pointer: string,
  unmet: Unmet[],
  more: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(values).flatMap(([name, value]) => {
    if (Object.hasOwn(draft.fields, name) || more.includes(name)) return [[name, plain(value)] as const];
    unmet.push({ pointer: `${pointer}/${pointerPart(name)}`, reason: noField(name, draft, draft.fields) });
    return [];
  });
  return Object.fromEntries(entries);
}
