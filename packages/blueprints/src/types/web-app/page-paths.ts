import type { ResourceModel } from "../api/model.ts";

const parameter = /\{[^{}/]+\}|(?<=\/):\w+/g;

/** How many ids a path has. */
export function parameterCount(path: string): number {
  return path.match(parameter)?.length ?? 0;
}

/** The service's names for the ids of a record's path, its own last. */
export function idNames({ path }: ResourceModel): readonly string[] {
  return [...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!), "id"];
}

/** The path with the service's names for its ids. */
export function namedIds(path: string, names: readonly string[]): string {
  let next = 0;
  return path.replace(parameter, () => `{${names[next++] ?? "id"}}`);
}

/** Where the pages of a resource are unless the document says so: its path without what all paths of the API begin with. */
export function placeOf({ path, name }: ResourceModel, basePath = "/api"): string {
  const word = path.split("/").findLast((part) => part !== "" && !part.startsWith("{")) ?? name;
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : `/${word}`;
}

/** Whether two paths differ in their ids only. */
export function isSamePath(one: string, other: string): boolean {
  return shapeOf(one) === shapeOf(other);
}

function shapeOf(path: string): string {
  return path
    .replace(/\?.*$/, "")
    .replace(parameter, "{}")
    .replace(/(?<=\/)\d+(?=\/|$)/g, "{}");
}
