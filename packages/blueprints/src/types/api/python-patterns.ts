import type { Unmet } from "../../plugin.ts";
import type { FieldModel, ResourceModel } from "./model.ts";
import type { Service } from "./read-service.ts";

/** What JavaScript's expressions have and Python's do not: properties of characters, named groups, code points in braces. */
const foreign = /\\[pPkc]|\\u\{|\(\?<[^=!]|\[\^?\]/;

/** The service without patterns that Python cannot read; each is named. */
export function withoutForeignPatterns(service: Service): {
  readonly service: Service;
  readonly unmet: readonly Unmet[];
} {
  const unmet: Unmet[] = [];
  const resources = service.resources.map((found) => {
    const fields = Object.entries(found.model.fields).map(([name, field]): readonly [string, FieldModel] => {
      if (field.pattern === undefined || !foreign.test(field.pattern)) return [name, field];
      const { pattern, ...rest } = field;
      unmet.push({ pointer: "/data_model", reason: `Python cannot read the pattern ${pattern} of '${name}'.` });
      return [name, rest];
    });
    const model: ResourceModel = { ...found.model, fields: Object.fromEntries(fields) };
    return { ...found, model };
  });
  return { service: { ...service, resources }, unmet };
}
