import { shortened } from "../../platform/one-line.ts";

/**
 * Bytes of an event's data as JSON. Each webhook gets a copy of an event, and readers read hundreds of them at once: what
 * one project makes long must not hold up the others.
 */
const maxEventBytes = 64 * 1024;

declare const isBounded: unique symbol;

/** What may be written as an event's data. */
export type BoundedData = Readonly<Record<string, unknown>> & { readonly [isBounded]: true };

/** Far longer than any id or URL: what it cuts is prose. */
const firstMaxTextLength = 16_000;
const firstMaxEntries = 500;

/** An event's data, within the bound: where it is longer, its longest texts end with `…`, and its longest lists end early. */
export function boundedData(data: object): BoundedData {
  let bounded: unknown = data;
  let [maxLength, maxEntries] = [firstMaxTextLength, firstMaxEntries];
  while (Buffer.byteLength(JSON.stringify(bounded)) > maxEventBytes) {
    bounded = cut(bounded, maxLength, maxEntries);
    maxLength = Math.floor(maxLength / 2);
    maxEntries = Math.floor(maxEntries / 2);
  }
  return bounded as BoundedData;
}

function cut(value: unknown, maxLength: number, maxEntries: number): unknown {
  if (typeof value === "string") return shortened(value, maxLength);
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((entry) => cut(entry, maxLength, maxEntries));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cut(part, maxLength, maxEntries)]));
}
