import { kinds, paddingOf, type TarHeader, writeHeader } from "./tar-header.ts";

/** The header of an entry; values that do not fit into it go into a pax header before it. */
export function* writeHeaders(header: TarHeader): Generator<Uint8Array> {
  const records = [
    ...(fits(header.path) ? [] : [paxRecord("path", header.path)]),
    ...(fits(header.target) ? [] : [paxRecord("linkpath", header.target)]),
    ...(header.size < 8 ** 11 ? [] : [paxRecord("size", String(header.size))]),
  ];
  if (records.length > 0) {
    const content = Buffer.concat(records);
    yield writeHeader({ path: "pax", mode: 0o644, size: content.length, kind: kinds.pax, target: "" });
    yield content;
    yield Buffer.alloc(paddingOf(content.length));
  }
  yield writeHeader({
    ...header,
    path: fits(header.path) ? header.path : "long",
    target: fits(header.target) ? header.target : "long",
    size: header.size < 8 ** 11 ? header.size : 0,
  });
}

/** Short and printable ASCII, which every reader understands alike. */
function fits(text: string): boolean {
  return text.length <= 99 && /^[\x20-\x7e]*$/.test(text);
}

/** A pax record: `<length> <name>=<value>` and a newline; the length counts itself. */
function paxRecord(name: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${name}=${value}\n`);
  let length = rest + String(rest).length;
  length = rest + String(length).length;
  return Buffer.from(`${length} ${name}=${value}\n`);
}
