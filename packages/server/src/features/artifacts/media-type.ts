import { lookup } from "mrmime";

/** A media type as it may be sent out again; what is none is any bytes. */
export function usableMediaType(sent: string): string {
  return /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)?$/.test(sent) ? sent : "application/octet-stream";
}

/** The media type that a file's name tells. */
export function mediaTypeOf(path: string): string {
  const found = lookup(path) ?? "application/octet-stream";
  return /^text\/|[/+](?:json|xml|yaml|javascript)$/.test(found) ? `${found}; charset=utf-8` : found;
}
