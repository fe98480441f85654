/** Writes what the client must know of each endpoint while it runs: `npm run generate`. */
import { writeFileSync } from "node:fs";
import { type Endpoint, endpoints, maxPageSize, maxPieceBytes } from "@slipway/contract";

const file = new URL("../packages/client/src/routes.ts", import.meta.url);

/** The source of the client's table of routes. */
export function routesSource(): string {
  const lines = Object.entries<Endpoint>(endpoints).map(([name, described]) => `  ${name}: "${route(described)}",`);
  return `/** Generated from the contract, whose schemas would make a page eight times heavier: \`npm run generate\`. */
import type { EndpointName } from "@slipway/contract";

export const maxPageSize = ${maxPageSize};
export const maxPieceBytes = ${maxPieceBytes};

/** The method and path of each endpoint, and what its answer is: 204, a media type, or JSON with one of these members. */
export const routes: Readonly<Record<EndpointName, string>> = {
${lines.join("\n")}
};
`;
}

function route({ method, path, success }: Endpoint): string {
  // JSON where the endpoint has it, because that is what a call returns.
  const isJson = success.some(({ schema }) => schema);
  const answers = success.flatMap(({ status, schema, mediaTypes = [] }) => {
    if (status === 204) return ["204"];
    return isJson ? membersOf(schema) : mediaTypes;
  });
  return [method, path, ...(answers.includes("*/*") ? ["*/*"] : new Set(answers))].join(" ");
}

/** The first member of an answer in JSON, mostly an id or a list: other answers lack it. */
function membersOf(schema: unknown): string[] {
  const { required = [], properties = {} } = (schema ?? {}) as ObjectSchema;
  return required.slice(0, 1).map((first) => (properties[first]?.type === "array" ? `${first}[]` : first));
}

interface ObjectSchema {
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, { readonly type?: string }>>;
}

if (import.meta.main) writeFileSync(file, routesSource());
