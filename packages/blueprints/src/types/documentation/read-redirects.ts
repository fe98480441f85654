import { pointerPart } from "../../kit/pointer.ts";
import type { Refuse } from "./model.ts";
import type { ReadEditions } from "./read-editions.ts";

const isPath = (path: string) => /^\/(?:[\w-][\w.-]*(?:\/[\w-][\w.-]*)*\/?)?$/.test(path);
const isTarget = (target: string) => isPath(target.split("#")[0]!) || /^https?:\/\/[^\s"<>]+$/.test(target);

/** Old paths, and where they lead. An edition without a page at its top leads to its first page from there. */
export function readRedirects(
  given: Readonly<Record<string, string>> = {},
  { editions, moved }: ReadEditions,
  refuse: Refuse,
): Readonly<Record<string, string>> {
  const paths = new Set(editions.flatMap(({ prefix, pages }) => pages.map(({ path }) => prefix + path)));
  const redirects = new Map<string, string>();
  const add = (from: string, to: string, pointer: string) => {
    if (!isPath(from) || !isTarget(to)) refuse(pointer, "Write a path such as '/old/', and where it leads.");
    else if (paths.has(from)) refuse(pointer, `There is a page at ${from}.`);
    else if (redirects.has(from)) refuse(pointer, `${from} leads to ${redirects.get(from)} already.`);
    else redirects.set(from, to);
  };
  for (const [from, to] of Object.entries(given)) add(from, to, `/redirects/${pointerPart(from)}`);
  for (const { from, to, pointer } of moved) add(from, to, pointer);
  for (const { prefix, pages } of editions)
    if (!paths.has(`${prefix}/`) && !redirects.has(`${prefix}/`)) redirects.set(`${prefix}/`, prefix + pages[0]!.path);
  return Object.fromEntries(redirects);
}
