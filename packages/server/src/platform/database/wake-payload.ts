/** Postgres accepts fewer than 8000 bytes. */
const maxBytes = 7_999;

/** Packs payloads into as few JSON lists as Postgres accepts. */
export function packPayloads(payloads: Iterable<string>): string[] {
  const texts: string[] = [];
  let items: string[] = [];
  let bytes = 2;
  for (const payload of payloads) {
    const item = JSON.stringify(payload);
    const itemBytes = Buffer.byteLength(item) + 1;
    if (bytes + itemBytes > maxBytes) {
      texts.push(`[${items.join(",")}]`);
      items = [];
      bytes = 2;
    }
    items.push(item);
    bytes += itemBytes;
  }
  if (items.length > 0) texts.push(`[${items.join(",")}]`);
  return texts;
}

/** Stands for more payloads than fit: the listener polls. */
export const tooMany = "[]";

/** The payloads of a notification; any text but a list of ours is itself the payload. */
export function unpackPayload(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    if (Array.isArray(list) && list.every((item) => typeof item === "string")) return list;
  } catch {
    // Not a list.
  }
  return [text];
}

export function fitsOne(payload: string): boolean {
  return Buffer.byteLength(JSON.stringify(payload)) + 2 <= maxBytes;
}
