import type { FastifyError, FastifySchemaCompiler } from "fastify";
import { createAjv } from "../json-schema/index.ts";

type Ajv = ReturnType<typeof createAjv>;
type Violation = NonNullable<FastifyError["validation"]>[number];

// The schemas are the contract's own, which tests validate: compiling the schema of schemas would hold up the first request.
const ours = { strict: false, validateSchema: false } as const;
const common = { ...ours, removeAdditional: false, useDefaults: true } as const;
// Paths and queries only contain text, so their values are converted; JSON bodies have types.
const forTexts = violationsOf({ ...common, coerceTypes: true });
const forBodies = violationsOf(common);

/** Each violation of one value may list all that is allowed there, for every kind of value: a body has room for 100,000. */
const maxValuesToListAll = 200;

/**
 * Validates requests against the schemas of the contract. All violations are told, of a request with many values the first.
 * A schema is compiled for its first request: compiling all of them takes a fifth of the time in which the service starts.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  const { all, first } = httpPart === "body" ? forBodies : forTexts;
  const ofFew = compiledLater(all, schema);
  const ofMany = compiledLater(first, schema);
  return (value) => {
    const validate = valuesLeft(value, maxValuesToListAll) < 0 ? ofMany() : ofFew();
    if (!validate(value)) return { error: validate.errors ?? [] };
    const violation = httpPart === "body" ? findUnstorableText(value, "") : undefined;
    return violation === undefined || { error: [violation] };
  };
};

/** Validators that tell all violations, and that stop at the first. */
function violationsOf(options: Parameters<typeof createAjv>[0]): { readonly all: Ajv; readonly first: Ajv } {
  const withTimes = (allErrors: boolean) => {
    const ajv = createAjv({ ...options, allErrors }, ["date-time"]);
    const isDateTime = ajv.formats["date-time"] as { validate: (text: string) => boolean };
    // The RFC allows leap seconds and offsets without minutes, which a Date cannot represent.
    return ajv.addFormat("date-time", (text) => isDateTime.validate(text) && !Number.isNaN(Date.parse(text)));
  };
  return { all: withTimes(true), first: withTimes(false) };
}

function compiledLater(ajv: Ajv, schema: object): () => ReturnType<Ajv["compile"]> {
  let compiled: ReturnType<Ajv["compile"]> | undefined;
  return () => (compiled ??= ajv.compile(schema));
}

/** How many of so many values a value leaves, with those inside of it; negative if it has more. */
function valuesLeft(value: unknown, left: number): number {
  if (typeof value !== "object" || value === null) return left - 1;
  let rest = left - 1;
  for (const key in value) {
    if (rest < 0) break;
    rest = valuesLeft((value as Record<string, unknown>)[key], rest);
  }
  return rest;
}

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
