import fc from "fast-check";
import { expect, test } from "vitest";
import { JoinedStreams } from "../../../src/platform/sandbox/joined-streams.ts";

type Said = readonly ["stdout" | "stderr", string];

function join(...said: readonly Said[]): string {
  let text = "";
  const streams = new JoinedStreams((more) => {
    text += more;
  });
  for (const [name, more] of said) streams.add(name, more);
  streams.end();
  return text;
}

test("what a program says of an error does not stand in the middle of a line that it prints", () => {
  const said: Said[] = [
    ["stdout", "one\nthe key is open-"],
    ["stderr", "a warning\n"],
    ["stdout", "sesame\n"],
  ];
  expect(join(...said)).toBe("one\na warning\nthe key is open-sesame\n");
});

test("neither does it where that line is so long that it goes out in pieces", () => {
  const said: Said[] = [
    ["stdout", `${"x".repeat(20_000)}open-`],
    ["stderr", "a warning\n"],
    ["stdout", "sesame"],
    ["stdout", " and so on\nlast"],
  ];
  expect(join(...said)).toBe(`${"x".repeat(20_000)}open-sesame and so on\na warning\nlast`);
});

test("nothing of either stream is lost, or out of its order", () => {
  const name = fc.constantFrom("stdout" as const, "stderr" as const);
  const text = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom("\n", "a\nb", "x".repeat(20_000), `${"y".repeat(70_000)}\n`),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(name, text), { maxLength: 12 }), (pieces) => {
      // Each stream has letters of its own.
      const marked = pieces.map(([of, more]): Said => [of, of === "stdout" ? more.toUpperCase() : more.toLowerCase()]);
      const joined = join(...marked.map(([of, more]): Said => [of, more.replace(/[^a-zA-Z\n]/g, "")]));
      for (const [of, own] of [
        ["stdout", /[^A-Z]/g],
        ["stderr", /[^a-z]/g],
      ] as const) {
        const all = marked.flatMap(([other, more]) => (other === of ? [more] : [])).join("");
        expect(joined.replace(own, "")).toBe(all.replace(own, ""));
      }
    }),
  );
});
