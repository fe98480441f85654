import { diagnosticCodes } from "@slipway/spec";
import { Type } from "typebox";
import { open, withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";

const Diagnostic = Type.Object(
  {
    severity: Type.Enum(["error", "warning", "info"]),
    code: Type.Enum(Object.keys(diagnosticCodes), { description: "From a closed list." }),
    message: Type.String(),
    pointer: Type.String({ description: "JSON Pointer to the value." }),
    line: Type.Integer({ minimum: 1 }),
    column: Type.Integer({ minimum: 1, description: "In UTF-16 units." }),
    endLine: Type.Integer({ minimum: 1 }),
    endColumn: Type.Integer({ minimum: 1 }),
    suggestion: Type.Optional(Type.String({ description: "What to do about it." })),
  },
  { description: "One problem of a document." },
);

const Validation = Type.Object(
  {
    valid: Type.Boolean({ description: "Whether a project can be made of it. Warnings do not count." }),
    diagnostics: Type.Array(Diagnostic, { description: "Every problem, in the order of the text." }),
  },
  { description: "What there is to say of a document." },
);

/** Checking specification documents before a project is made of them. */
export const documentEndpoints = {
  validateSpec: endpoint({
    method: "POST",
    path: "/api/v1/specs/validate",
    tag: "Documents",
    summary: "Check a specification document: every problem at once",
    access: withScope("projects:create"),
    query: query({
      environment: Type.Optional(
        Type.String({ maxLength: 200, description: "Check it for this environment.", examples: ["staging"] }),
      ),
    }),
    takesDocument: true,
    success: [{ status: 200, description: "What there is to say of it.", schema: Validation }],
    problems: ["overloaded"],
  }),
  readSpecSchema: endpoint({
    method: "GET",
    path: "/api/v1/schema/spec.json",
    tag: "Documents",
    summary: "The JSON Schema of specification documents",
    isVersioned: true,
    access: open,
    success: [
      {
        status: 200,
        description: "JSON Schema 2020-12.",
        schema: Type.Record(Type.String(), Type.Unknown()),
        headers: ["Access-Control-Allow-Origin"],
      },
    ],
    problems: [],
  }),
} as const;
