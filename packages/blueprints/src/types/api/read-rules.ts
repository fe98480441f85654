import { ExpressionProblem } from "../../kit/expression/parse-expression.ts";
import type { FormulaScope, ValueType } from "../../kit/formula.ts";
import type { Unmet } from "../../plugin.ts";
import type { FieldModel, RuleModel } from "./model.ts";
import type { DraftResource } from "./read-data-model.ts";
import { type Expression, fieldsIn, readExpression } from "./read-expression.ts";
import { serviceFields } from "./read-fields.ts";

type Written = NonNullable<DraftResource["written"]["rules"]>[number];
type WrittenRule = Exclude<Written, string>;

/** Reads the rules of a resource. One that cannot be read, or that names what is not there, is left out and reported. */
export function readRules(
  draft: DraftResource,
  drafts: readonly DraftResource[],
  unmet: Unmet[],
): readonly RuleModel[] {
  const scope = recordScope(draft, drafts);
  return (draft.written.rules ?? []).flatMap((written, index) => {
    const pointer = `${draft.pointer}/rules/${index}`;
    const refuse = (reason: string, key = "") => {
      unmet.push({ pointer: `${pointer}${key}`, reason });
      return [];
    };
    return readRule(typeof written === "string" ? { check: written } : written, scope, refuse);
  });
}

type Refuse = (reason: string, key?: string) => never[];

function readRule(written: WrittenRule, scope: FormulaScope, refuse: Refuse): readonly RuleModel[] {
  const { check, required, unique, no_overlap: span, max_records: max, moves, field, message, status } = written;
  const kinds = Object.entries({ check, required, unique, no_overlap: span, max_records: max, moves });
  const given = kinds.filter(([, value]) => value !== undefined).map(([kind]) => kind as RuleModel["kind"]);
  const [kind] = given;
  if (kind === undefined || given.length > 1)
    return refuse("A rule says one of 'check', 'required', 'unique', 'no_overlap', 'max_records' and 'moves'.");
  const when = written.when === undefined ? undefined : readExpression(written.when, scope);
  if (typeof when === "string") return refuse(when, "/when");
  const condition = when === undefined ? {} : { when };
  const finish = (rule: Pick<RuleModel, "fields" | "message"> & Partial<RuleModel>): readonly RuleModel[] => {
    const conflicts = ["unique", "no_overlap", "max_records", "moves"].includes(kind);
    return [
      { kind, ...rule, ...condition, message: message ?? rule.message, status: status ?? (conflicts ? 409 : 422) },
    ];
  };
  const known = (names: readonly string[], key: string): readonly string[] | undefined => {
    const wrong = names.find((name) => scope.typeOf(name) === undefined);
    if (wrong === undefined) return [...names];
    refuse(wrong.includes(".") ? `'${wrong}' must be a field of its own.` : scope.whyUnknown!(wrong), key);
    return undefined;
  };
  const group =
    "within" in written && (kind === "no_overlap" || kind === "max_records")
      ? known(written.within ?? [], "/within")
      : [];
  if (group === undefined) return [];
  const within = group.length > 0 ? { within: group } : {};
  const per = group.length > 0 ? ` with the same ${listed(group)}` : "";
  switch (kind) {
    case "check": {
      const expression = readExpression(check!, scope);
      if (typeof expression === "string") return refuse(expression, "/check");
      const fields = [...new Set(fieldsIn(expression))];
      return finish({ fields, check: expression, message: `must keep to the rule: ${check!.trim()}` });
    }
    case "required": {
      const fields = known(required!, "/required");
      return fields === undefined
        ? []
        : finish({ fields, message: written.when ? `is required where ${written.when}` : "is required" });
    }
    case "unique": {
      const fields = known(unique!, "/unique");
      return fields === undefined
        ? []
        : finish({ fields, message: `there is one with the same ${listed(fields)} already` });
    }
    case "no_overlap": {
      const fields = known(span!, "/no_overlap");
      if (fields === undefined) return [];
      if (fields.length !== 2) return refuse("Two fields are needed: the start and the end.", "/no_overlap");
      return finish({ fields, ...within, message: `overlaps another one${per}` });
    }
    case "max_records":
      return finish({
        fields: group,
        ...within,
        max: max!,
        message: `there are ${max} already${per}, and more are not allowed`,
      });
    case "moves": {
      if (field === undefined) return refuse("Say which 'field' moves.");
      const fields = known([field], "/field");
      const table = Object.fromEntries(Object.entries(moves!).map(([from, to]) => [from, [...to]]));
      return fields === undefined
        ? []
        : finish({ fields, moves: table, message: "cannot become this from what it is" });
    }
  }
}

function listed(names: readonly string[]): string {
  return names.join(" and ");
}

/** The names that expressions over a resource may use: `seats`, and `room.seats` of what `room` or `room_id` leads to. */
export function recordScope(draft: DraftResource, drafts: readonly DraftResource[]): FormulaScope {
  const own = allFields(draft);
  return {
    hasMoments: true,
    typeOf: (name) => {
      if (Object.hasOwn(own, name)) return valueType(own[name]!);
      if (!serviceFields.includes(name)) return undefined;
      return name === "id" ? "any" : "moment";
    },
    referred: (name) => {
      const by = [`${name}_id`, name].find((field) => own[field]?.to !== undefined);
      const target = by === undefined ? undefined : drafts.find((other) => other.name === own[by]!.to);
      return by === undefined || target === undefined ? undefined : { scope: recordScope(target, drafts), by };
    },
    belonging: () => {
      throw new ExpressionProblem("Rules of a service do not go over other records: use 'max_records' with 'within'.");
    },
    whyUnknown: (name) => noField(name, draft, own),
  };
}

function valueType({ type, values = [] }: FieldModel): ValueType {
  switch (type) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "date":
      return type;
    case "datetime":
      return "moment";
    case "enum":
      return values.every((value) => typeof value === "string") ? "text" : "any";
    case "reference":
    case "list":
    case "object":
    case "any":
      return "any";
    case "string":
    case "text":
    case "password":
    case "time":
    case "email":
    case "url":
      return "text";
  }
}

/** Why there is no such field. */
export function noField(
  name: string,
  { title }: { readonly title: string },
  fields: Readonly<Record<string, unknown>>,
): string {
  return `There is no field '${name}' in '${title}': there is ${Object.keys(fields).join(", ") || "none"}.`;
}

/** The fields, and the one with the id of what it is below. */
export function allFields({
  fields,
  parent,
}: Pick<DraftResource, "fields" | "parent">): Readonly<Record<string, FieldModel>> {
  if (parent === undefined) return fields;
  return { ...fields, [parent.field]: { type: "reference", to: parent.resource, on_delete: parent.on_delete } };
}

/** Reads a condition; one that cannot be read is reported and left out. */
export function readCondition(
  text: string | undefined,
  scope: FormulaScope,
  pointer: string,
  unmet: Unmet[],
): Expression | undefined {
  if (text === undefined) return undefined;
  const expression = readExpression(text, scope);
  if (typeof expression !== "string") return expression;
  unmet.push({ pointer, reason: expression });
  return undefined;
}
