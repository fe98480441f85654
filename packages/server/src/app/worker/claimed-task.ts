import { ClaimedTask } from "@slipway/contract";
import { specJsonSchema } from "@slipway/spec";

/** What any agent's work needs of a document. The contract leaves it open, so that a newer service may say more. */
const needed = {
  timeouts: ["implementation_minutes"],
  resources: ["memory_gb", "cpu_cores"],
  debug: ["level", "log_agent_actions"],
} as const;

type Parts = Readonly<Record<string, { readonly properties: Readonly<Record<string, object>> }>>;

const parts = specJsonSchema()["$defs"] as Parts;
const document = allOf(
  Object.entries(needed).map(([part, keys]) => [part, allOf(keys.map((key) => [key, parts[part]!.properties[key]!]))]),
);

/** A task as the contract says, with a document from which its limits can be read. */
export const claimedTask: object = { allOf: [ClaimedTask, { properties: { document } }] };

function allOf(entries: readonly (readonly [name: string, schema: object])[]): object {
  return { type: "object", required: entries.map(([name]) => name), properties: Object.fromEntries(entries) };
}
