import { lookup } from "mrmime";

/** A media type that is safe to send back; application/octet-stream for anything else. */
export function usableMediaType(sent: string): string {
  return /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)?$/.test(sent) ? sent : "application/octet-stream";
}

/** The media type by the extension of a file. */
export function mediaTypeOf(path: string): string {
  const found = lookup(path) ?? "application/octet-stream";
  return /^text\/|[/+](?:json|xml|yaml|javascript)$/.test(found) ? `${found}; charset=utf-8` : found;
}
