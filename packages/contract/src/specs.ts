import { diagnosticCodes } from "@slipway/spec";
import { Type } from "typebox";

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

export const Validation = Type.Object(
  {
    valid: Type.Boolean({ description: "Whether a project can be made of it. Warnings do not count." }),
    diagnostics: Type.Array(Diagnostic, { description: "Every problem, in the order of the text." }),
  },
  { description: "What there is to say of a document." },
);
