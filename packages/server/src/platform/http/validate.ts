import type { FastifyError, FastifySchemaCompiler } from "fastify";
import { createAjv } from "../json-schema/index.ts";

type Violation = NonNullable<FastifyError["validation"]>[number];

// The schemas are the contract's own, which tests validate: compiling the schema of schemas would hold up the first request.
const ours = { strict: false, validateSchema: false } as const;
const common = { ...ours, allErrors: true, removeAdditional: false, useDefaults: true } as const;
// Paths and queries only contain text, so their values are converted; JSON bodies have types.
const forTexts = createAjv({ ...common, coerceTypes: true }, ["date-time"]);
const forBodies = createAjv(common, ["date-time"]);
for (const ajv of [forTexts, forBodies]) {
  const isDateTime = ajv.formats["date-time"] as { validate: (text: string) => boolean };
  // The RFC allows leap seconds and offsets without minutes, which a Date cannot represent.
  ajv.addFormat("date-time", (text) => isDateTime.validate(text) && !Number.isNaN(Date.parse(text)));
}

/**
 * Validates requests against the schemas of the contract. A schema is compiled for its first request: compiling all of them
 * takes a fifth of the time in which the service starts.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const validator = () => (httpPart === "body" ? forBodies : forTexts).compile(schema);
  let compiled: ReturnType<typeof validator> | undefined;
  return (value) => {
    compiled ??= validator();
    if (!compiled(value)) return { error: compiled.errors ?? [] };
    const violation = httpPart === "body" ? findUnstorableText(value, "") : undefined;
    return violation === undefined || { error: [violation] };
  };
};

/** Finds the first text in a body that Postgres cannot store; no schema rules it out. */
function findUnstorableText(value: unknown, instancePath: string): Violation | undefined {
  if (typeof value === "string") {
    if (!value.includes("\0") && value.isWellFormed()) return undefined;
    const message = "must contain neither U+0000 nor half of a surrogate pair";
    return { instancePath, schemaPath: "#", keyword: "characters", params: {}, message };
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, part] of Object.entries(value)) {
    const pointer = `${instancePath}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const found = findUnstorableText(key, pointer) ?? findUnstorableText(part, pointer);
    if (found !== undefined) return found;
  }
  return undefined;
}
