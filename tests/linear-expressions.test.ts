import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Expressions that read their text again and again, and why that does no harm there. */
const allowed: Readonly<Record<string, string>> = {
  "blueprints/src/kit/expression/calculate-module.ts": "reads cases of the builder's own",
  "blueprints/src/kit/letter-strokes.ts": "reads a text of its own",
  "cli/src/follow/tree/run-tree.ts": "reads 500 characters of a line",
  "cli/src/init/write-first-document.ts": "reads the name of a file that its user gave",
  "cli/src/upgrade/registry-address.ts": "reads the settings of its user",
  "server/src/app/backup/own-tables.ts": "reads the service's own SQL",
  "server/src/platform/git/require-git.ts": "reads the version of the system's git",
  "server/src/platform/git/take-result.ts": "reads what git says of one path, of 4,096 bytes at most",
  "server/src/platform/http/address-group.ts": "reads the address of a connection",
  "server/src/platform/sandbox/mapped-files.ts": "reads numbers of the kernel's",
  "server/src/verification/scans/code/scan-dockerfile.ts": "reads lines without gaps, in a thread with a limit of time",
};

/** What programs print without end, and what only looks like the beginning of something. */
const runs = [
  ...["\t", "\n", "\r", " ", "\u0085", "\u00a0", "\u2028", "\u001b", "\u001b[", "\r\n", "\n ", " a", "a\n"],
  ...`!"#$%&'()*+,-./0:;<=>?@[\\]^_\`{|}~aAé`,
  ...["a.", "a-", "::", "<a", "&a", "%2", "\\a", "a=", "a,", "a/", "1.", "--", "()", "[]", "{}", '""', "''", "a@"],
];
/** What no expression expects after them. */
const end = "\u0001";
const lengths = [40, 2_000];
/** A hundred times what reading so much once takes; whoever reads it for each of its characters takes longer. */
const maxMs = 3;

test("no expression reads a text again for each of its characters", () => {
  const slow = literals()
    .filter(({ place }) => !(place.slice(0, place.lastIndexOf(":")) in allowed))
    .flatMap(({ place, pattern, flags }) => {
      const expression = new RegExp(pattern, flags.includes("g") ? flags : `${flags}g`);
      const run = runs.find((part) =>
        lengths.some((length) => isSlow(expression, part.repeat(length / part.length) + end)),
      );
      return run === undefined ? [] : [`${place} with many of ${JSON.stringify(run)}`];
    });
  expect(slow).toEqual([]);
});

/** The quickest of several tries: a busy machine holds up some, and not all. */
function isSlow(expression: RegExp, text: string): boolean {
  return Array.from({ length: 5 }).every(() => {
    const start = performance.now();
    text.replace(expression, "");
    return performance.now() - start > maxMs;
  });
}

interface Literal {
  readonly place: string;
  readonly pattern: string;
  readonly flags: string;
}

/** Every expression in what runs beside the texts of strangers; pages run in their reader's browser. */
function literals(): Literal[] {
  const paths = globSync("packages/*/src/**/*.ts", { cwd: root });
  const ours = paths.filter((path) => !path.startsWith("packages/dashboard/") && !path.includes("/files/"));
  return ours.flatMap((path) => {
    const text = readFileSync(`${root}/${path}`, "utf8");
    const found: Literal[] = [];
    visit(parseSync(path, text).program, ({ pattern, flags }, start) => {
      const line = text.slice(0, start).split("\n").length;
      found.push({ place: `${path.slice("packages/".length)}:${line}`, pattern, flags });
    });
    return found;
  });
}

interface Expression {
  readonly pattern: string;
  readonly flags: string;
}

function visit(node: unknown, onExpression: (expression: Expression, start: number) => void): void {
  if (typeof node !== "object" || node === null) return;
  const { regex, start } = node as { readonly regex?: Expression; readonly start?: number };
  if (regex !== undefined && start !== undefined) onExpression(regex, start);
  for (const value of Object.values(node)) visit(value, onExpression);
}
