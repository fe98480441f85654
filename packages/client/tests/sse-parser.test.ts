import fc from "fast-check";
import { expect, test } from "vitest";
import { type SseEvent, SseEventTooLarge, SseParser } from "../src/sse-parser.ts";

const encoder = new TextEncoder();

function parse(...chunks: readonly (string | Uint8Array)[]): SseEvent[] {
  const parser = new SseParser();
  return chunks.flatMap((chunk) => parser.push(typeof chunk === "string" ? encoder.encode(chunk) : chunk));
}

test("events have an id, a name and data; comments, retry and unknown fields are ignored", () => {
  const stream = 'retry: 2000\n\n: still here\n\nid: 1\nevent: a\nfoo: x\ndata: {"x":\ndata: 1}\n\ndata\n\n';
  expect(parse(stream)).toEqual([
    { id: "1", event: "a", data: '{"x":\n1}' },
    { id: "1", event: "message", data: "" },
  ]);
});

test("one space after the colon is not data, more are", () => {
  expect(parse("data:a\n\ndata: b\n\ndata:  c\n\n").map(({ data }) => data)).toEqual(["a", "b", " c"]);
});

test("an event without its end is not returned", () => {
  expect(parse("data: a\n\ndata: b\n")).toEqual([{ id: "", event: "message", data: "a" }]);
});

test("a byte order mark at the start is no part of the stream", () => {
  expect(parse(new Uint8Array([0xef, 0xbb]), new Uint8Array([0xbf]), "data: a\n\n")).toHaveLength(1);
});

test("however a stream is cut into chunks, and whatever ends its lines, it gives the same events", () => {
  const line = fc.oneof(
    fc.constantFrom("", "", ":", ": still here", "retry: 10", "id: 7", "id", "event: ü", "data", "data: 😀", "x:y"),
    fc.string({ unit: "binary" }).map((text) => `data: ${text.replace(/[\r\n]/g, "")}`),
    fc.nat().map((id) => `id: ${id}`),
  );
  const lines = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r", "\r\n")), { maxLength: 40 });
  fc.assert(
    fc.property(lines, fc.array(fc.nat({ max: 400 }), { maxLength: 30 }), (stream, cuts) => {
      const text = stream.map(([content, ending]) => content + ending).join("");
      const bytes = encoder.encode(text);
      const whole = parse(bytes);
      const positions = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
      expect(parse(...positions.slice(1).map((end, index) => bytes.slice(positions[index], end)))).toEqual(whole);
      expect(parse(...Array.from(bytes, (byte) => new Uint8Array([byte])))).toEqual(whole);
    }),
  );
});

test.for([
  ["a line without end", "data: 0123456789"],
  ["data without end", "data: 01\ndata: 23\ndata: 45\ndata: 67\n"],
] as const)("%s is refused before it fills the memory", ([, text]) => {
  const parser = new SseParser(10);
  expect(() => Array.from(encoder.encode(text), (byte) => parser.push(new Uint8Array([byte])))).toThrow(
    SseEventTooLarge,
  );
});
