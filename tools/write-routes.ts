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

/** The method and path of each endpoint, and what it answers where that is not JSON. */
export const routes: Readonly<Record<EndpointName, string>> = {
${lines.join("\n")}
};
`;
}

function route({ method, path, success }: Endpoint): string {
  // JSON where the endpoint has it, because that is what a call returns.
  const types = success.flatMap(({ schema, mediaTypes = [] }) => (schema ? ["application/json"] : mediaTypes));
  const others = types.length === 0 || types.includes("application/json") ? [] : [...new Set(types)];
  return [method, path, ...(others.includes("*/*") ? ["*/*"] : others)].join(" ");
}

if (import.meta.main) writeFileSync(file, routesSource());
