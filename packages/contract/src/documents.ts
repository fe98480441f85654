import { diagnosticCodes } from "@slipway/spec";
import { open, withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Type } from "./schema.ts";

export const Diagnostic = Type.Object(
  {
    severity: Type.Enum(["error", "warning", "info"]),
    code: Type.Enum(Object.keys(diagnosticCodes), { description: "The diagnostic code, from a closed list." }),
    message: Type.String(),
    pointer: Type.String({ description: "JSON Pointer to the value." }),
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1, description: "Counted in UTF-16 code units." }),
    endLine: Type.Integer({ minimum: 1 }),
    endColumn: Type.Integer({ minimum: 1 }),
    suggestion: Type.Optional(Type.String({ description: "How to fix it." })),
  },
  { description: "A problem in a document." },
);

const Validation = Type.Object(
  {
    valid: Type.Boolean({ description: "Whether a project can be created from the document. Warnings do not count." }),
    diagnostics: Type.Array(Diagnostic, { description: "Every problem, in document order." }),
  },
  { description: "The result of checking a document." },
);

/** Specification documents: validation and their JSON Schema. */
export const documentEndpoints = {
  validateSpec: endpoint({
    method: "POST",
    path: "/api/v1/specs/validate",
    tag: "Documents",
    summary: "Validate a specification document and report every problem",
    access: withScope("projects:create"),
    query: query({
      environment: Type.Optional(
        Type.String({
          maxLength: 200,
          description: "The environment to check the document for.",
          examples: ["staging"],
        }),
      ),
    }),
    takesDocument: true,
    success: [{ status: 200, description: "The result of the check.", schema: Validation }],
    problems: ["overloaded"],
  }),
  readSpecSchema: endpoint({
    method: "GET",
    path: "/api/v1/schema/spec.json",
    tag: "Documents",
    summary: "Read the JSON Schema of specification documents",
    isVersioned: true,
    access: open,
    success: [
      {
        status: 200,
        description: "JSON Schema 2020-12.",
        schema: Type.Record(Type.Unknown()),
        headers: ["Access-Control-Allow-Origin"],
      },
    ],
    problems: [],
  }),
} as const;
