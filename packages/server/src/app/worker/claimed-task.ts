import { ClaimedTask } from "@slipway/contract";

const ofAll = (properties: object) => ({ type: "object", required: Object.keys(properties), properties });

// As documents may have them.
const document = ofAll({
  timeouts: ofAll({ implementation_minutes: { type: "number", minimum: 1, maximum: 10_080 } }),
  resources: ofAll({
    memory_gb: { type: "number", exclusiveMinimum: 0, maximum: 4_096 },
    cpu_cores: { type: "number", minimum: 1, maximum: 1_024 },
  }),
  debug: ofAll({ level: { type: "string" }, log_agent_actions: { type: "boolean" } }),
});

/** A task as the contract says, and what any agent's work needs of its document, which the contract leaves open. */
export const claimedTask: object = { allOf: [ClaimedTask, { properties: { document } }] };
