import type { Unmet } from "../../plugin.ts";
import type { FieldModel, ResourceModel } from "./model.ts";
import type { Service } from "./read-service.ts";

/** Syntax of JavaScript's regular expressions that Python lacks: \p, named groups, \u{…}, empty classes. */
const foreign = /\\[pPkc]|\\u\{|\(\?<[^=!]|\[\^?\]/;

/** The service without the patterns that Python cannot read; each of them is reported. */
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
