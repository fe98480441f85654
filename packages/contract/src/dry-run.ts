import { Type } from "typebox";
import { Id, OptionalTimestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";

const PlannedTaskData = Type.Object({
  id: Type.String(),
  title: Type.String(),
  description: Type.Optional(Type.String()),
  phase: Type.String(),
  role: Type.String(),
  depends_on: Type.Array(Type.String()),
  estimated_hours: Type.Number(),
  serves: Type.Array(Type.String()),
});

export const DryRun = Type.Object(
  {
    phases: Type.Array(
      Type.Object({
        name: Type.String(),
        kind: Type.Enum(["planning", "work", "validation", "deployment"]),
        depends_on: Type.Array(Type.String()),
        priority: Type.Enum(["critical", "high", "medium", "low"]),
        has_acceptance: Type.Boolean(),
      }),
    ),
    tasks: Type.Array(PlannedTaskData),
    summary: Type.Object({
      total_hours: Type.Number(),
      duration_hours: Type.Number({ description: "From start to end, with as many tasks at once as are allowed." }),
      parallel_tasks: Type.Integer(),
      critical_path: Type.Object({ tasks: Type.Array(Type.String()), hours: Type.Number() }),
    }),
    environment: Type.Union([Type.String(), Type.Null()]),
    roles: Type.Array(
      Type.Object({
        role: Type.String(),
        capabilities: Type.Array(Type.String(), { description: "What the agent must be able to do." }),
        agent_id: StringOrNull("Who would fill it now; null: nobody."),
        availability: Type.Enum(["free", "busy", "unknown"], { description: "Unknown: the project would fail." }),
      }),
    ),
    approvals: Type.Array(
      Type.Object({ gate: Type.Enum(["plan", "deployment"]), approvers: Type.Array(Type.String()) }),
    ),
    secrets: Type.Array(Type.Object({ name: Type.String(), provider: Type.String(), is_found: Type.Boolean() }), {
      description: "Secrets that the document requires.",
    }),
    acceptance: Type.Array(
      Type.Object({
        pointer: Type.String({ description: "Where it stands in the document." }),
        title: Type.String(),
        can_be_verified: Type.Boolean(),
      }),
      { description: "What will be checked." },
    ),
    unmet: Type.Array(Type.Object({ pointer: Type.String(), reason: Type.String() }), {
      description: "What of the document the built-in agent could not honour, were it to build it.",
    }),
    application_id: Type.Union([Id("application", "The application it would be a run of."), Type.Null()], {
      description: "The application it would be a run of; null: it would be the first.",
    }),
    regenerates: Type.Union(
      [
        Type.Object({
          project_id: StringOrNull("The run whose result it is."),
          put_at: OptionalTimestamp("When somebody put it; null: it is a result as it went live."),
        }),
        Type.Null(),
      ],
      {
        description:
          "The files that the built-in agent would merge with what it makes, were it to build it; null: there are none.",
      },
    ),
    diagnostics: Type.Array(Type.Record(Type.String(), Type.Unknown()), { description: "Warnings and hints." }),
  },
  { description: "What would be done; nothing was created." },
);
