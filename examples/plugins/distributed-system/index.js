import { filesOf } from "./files.js";

/** What this builds nothing for, and says so before it begins. */
const knownStack = { language: ["javascript"], runtime: ["node"], framework: ["none"] };

/** @type {import("@slipway/blueprints").Plugin} */
export default {
  api_version: "v1",
  name: "slipway-plugin-distributed-system",
  version: "1.0.0",
  outcome_types: [
    {
      name: "distributed-system",
      languages: ["javascript"],
      schema: {
        type: "object",
        properties: {
          topology: {
            type: "object",
            description: "How the services stand to each other.",
            properties: {
              gateway: { type: "string", minLength: 1, description: "The service that people reach; it passes on the rest." },
              replicas: {
                type: "object",
                description: "How many of a service run, by its name; one if it is not said.",
                additionalProperties: { type: "integer", minimum: 1, maximum: 20 },
              },
              restart: { enum: ["no", "always", "on-failure"], description: "When a service is started again." },
            },
            required: ["gateway"],
          },
        },
        required: ["topology"],
      },
      stack_defaults: { language: "javascript", runtime: "node" },
      plan: (document) => ({
        scripts: { test: "node --test", start: "node launch.mjs" },
        unmet: [...unknownStack(document), ...unknownGateway(document), ...notBuilt(document)],
      }),
      build: async (task, workspace) => {
        for (const [path, text] of Object.entries(filesOf(workspace.document))) await workspace.write(path, text);
        // A task that changes nothing counts as failed, and several tasks build the same whole: each leaves a note.
        await workspace.write(`docs/tasks/${encodeURIComponent(task.id)}.md`, note(task));
      },
    },
  ],
};

function note({ title, lines }) {
  return [`# ${title.replaceAll(/\s+/g, " ")}`, "", ...lines.map(({ pointer }) => `- serves \`${pointer}\``), ""].join("\n");
}

function unknownStack({ stack }) {
  return Object.entries(stack).flatMap(([key, value]) =>
    knownStack[key] === undefined || knownStack[key].includes(value)
      ? []
      : [{ pointer: `/stack/${key}`, reason: `Only ${knownStack[key].join(", ")} is built here.` }],
  );
}

function unknownGateway({ services = {}, topology }) {
  if (Object.hasOwn(services, topology.gateway)) return [];
  return [{ pointer: "/topology/gateway", reason: `There is no service '${topology.gateway}'.` }];
}

function notBuilt({ acceptance }) {
  return ["http_endpoints", "integration_tests", "commands"]
    .filter((key) => acceptance[key] !== undefined && acceptance[key].length > 0)
    .map((key) => ({ pointer: `/acceptance/${key}`, reason: "Services answer for their health only." }));
}
