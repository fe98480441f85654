import { type AcceptanceLine, acceptanceLines } from "../acceptance/acceptance-lines.ts";
import { describeCheck } from "../acceptance/describe-check.ts";
import { groupBy } from "../group-by.ts";
import type { CompleteSpec } from "../schema/document.ts";
import { slugOf } from "../slug.ts";
import { keysOf, valueAt } from "../value-at.ts";
import { PhaseOrder } from "./plan-phases.ts";
import { freeId, isReview } from "./review-tasks.ts";
import { wordsOf, wordsOfCheck } from "./serve-acceptance.ts";
import { wordsOfOne, wordsSaidBy } from "./speak-of.ts";
import { assemblePlan, builtInTaskIds, type PlannedTask, restRole, type WorkPlan } from "./work-plan.ts";

/** A line of the document that the agent which builds by rule does not honour. */
export interface RestLine {
  /** JSON Pointer into the resolved document. */
  readonly pointer: string;
  readonly reason: string;
  /** Where it is written, from 1, and what is written there; undefined for a default. */
  readonly line?: number | undefined;
  readonly text?: string | undefined;
}

/**
 * Adds tasks for what the builder leaves: one for each part of the document, after the builder's own, each after the one
 * before it, so that they never change the same files at once. The same plan and lines always give the same plan.
 */
export function handOn(plan: WorkPlan, document: CompleteSpec, rest: readonly RestLine[]): WorkPlan {
  const parts = partsOf(plan, document, rest);
  if (parts.length === 0) return plan;
  const taken = new Set(plan.tasks.map(({ id }) => id));
  const own = plan.tasks.filter(({ id }) => !builtInTaskIds.includes(id));
  const added: PlannedTask[] = [];
  for (const part of parts) {
    const { phase, name } = part;
    const id = freeId(slugOf(`finish ${name}`), taken);
    taken.add(id);
    const before = [...own, ...added].filter((task) => task.phase === phase && !isReview(task));
    const serves = [
      ...new Set(
        [...part.lines, ...part.checks, ...part.related].map(({ pointer }) => writtenPointer(document, pointer)),
      ),
    ];
    const title = `Finish ${name}`;
    const dependsOn = before.map((task) => task.id);
    const description = describe(part);
    added.push({ id, title, description, phase, role: restRole, dependsOn, estimatedHours: 1, serves });
  }
  // Whoever looks at the result looks at all of it.
  const reviewed = own.map((task) =>
    isReview(task) ? { ...task, dependsOn: [...task.dependsOn, ...idsIn(task.phase, added)] } : task,
  );
  const servesOf = new Map(plan.tasks.map(({ id, serves }) => [id, serves]));
  return assemblePlan(plan.phases, [...reviewed, ...added], (id) => servesOf.get(id) ?? []);
}

/** Where the document asks for what is missing at a pointer: there, around it, or in its description. */
export function writtenPointer(document: CompleteSpec, pointer: string): string {
  if (pointer === "") return "/description";
  return valueAt(document, pointer) === undefined ? writtenPointer(document, parentOf(pointer)) : pointer;
}

function parentOf(pointer: string): string {
  return pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
}

/** What is handed on together: lines of one part of the document, and the checks that they have to pass. */
interface Part {
  readonly phase: string;
  readonly name: string;
  readonly words: Set<string>;
  readonly lines: RestLine[];
  readonly checks: (RestLine & { readonly check: AcceptanceLine["check"] })[];
  /** Checks that the builder may have thought to meet, and that speak of what it leaves. */
  readonly related: AcceptanceLine[];
}

function partsOf({ phases }: WorkPlan, document: CompleteSpec, rest: readonly RestLine[]): readonly Part[] {
  const order = new PhaseOrder(phases);
  const work = phases.filter(({ kind }) => kind === "work").map(({ name }) => name);
  const last = order.names.find((phase) => phase !== "planning" && work.every((one) => order.allows(one, phase)))!;
  const checkAt = new Map(acceptanceLines(document).map((line) => [line.pointer, line]));
  const parts = new Map<string, Part>();
  const partFor = (wantedPhase: string, wantedName: string): Part => {
    const isOwn = parts.size < maxParts || parts.has(`${wantedPhase}\n${wantedName}`);
    const [phase, name] = isOwn ? [wantedPhase, wantedName] : [last, otherParts];
    const key = `${phase}\n${name}`;
    const part = parts.get(key) ?? { phase, name, words: new Set<string>(), lines: [], checks: [], related: [] };
    parts.set(key, part);
    return part;
  };
  const known = byPointer(rest);
  for (const line of known.filter(({ pointer }) => !checkAt.has(pointer))) {
    const [first = "", second = "", third = ""] = keysOf(line.pointer);
    const isOfPhase = first === "phases" && work.includes(second);
    const part = isOfPhase ? partFor(second, `${third} of ${second}`) : partFor(last, first);
    part.lines.push(line);
    const said = JSON.stringify(valueAt(document, line.pointer) ?? "").slice(0, maxSearched);
    for (const word of wordsOf([line.pointer, said])) part.words.add(word);
  }
  const others = [...parts.values()];
  const partsWith = new Map<string, Part[]>();
  for (const part of others) for (const word of part.words) partsWith.set(word, [...(partsWith.get(word) ?? []), part]);
  for (const line of known) {
    const found = checkAt.get(line.pointer);
    if (found === undefined) continue;
    const { check, phase = last } = found;
    const near = mostNamed(
      [...wordsOfCheck(check)].flatMap((word) => partsWith.get(word) ?? []),
      others,
      phase,
    );
    (near ?? partFor(phase, phase === last ? "acceptance" : `acceptance of ${phase}`)).checks.push({ ...line, check });
  }
  const pointers = new Set(known.map(({ pointer }) => pointer));
  relate(
    document,
    others,
    [...checkAt.values()].filter(({ pointer }) => !pointers.has(pointer)),
    last,
  );
  return [...parts.values()];
}

/** Gives each part the checks that name what only its lines name: whoever finishes the lines has to meet them. */
function relate(document: CompleteSpec, parts: readonly Part[], lines: readonly AcceptanceLine[], last: string): void {
  const partAt = new Map(parts.flatMap((part) => part.lines.map(({ pointer }) => [pointer, part])));
  const partOf = wordsOfOne(document, partAt);
  for (const line of lines) {
    const { check, phase = last } = line;
    if (check.kind === "tests") continue;
    const named = [...wordsSaidBy(check)].flatMap((word) => partOf.get(word) ?? []);
    mostNamed(named, parts, phase)?.related.push(line);
  }
}

/** A line may be unmet for several reasons. */
function byPointer(rest: readonly RestLine[]): readonly RestLine[] {
  return [...groupBy(rest, ({ pointer }) => pointer).values()].map((same) => ({
    ...same[0]!,
    reason: [...new Set(same.map(({ reason }) => reason))].join(" "),
  }));
}

/** The part of a phase that is named most often, of several the first one; undefined if none is. */
function mostNamed(named: readonly Part[], parts: readonly Part[], phase: string): Part | undefined {
  const counts = new Map<Part, number>();
  for (const part of named) if (part.phase === phase) counts.set(part, (counts.get(part) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return counts.size === 0 ? undefined : parts.find((part) => counts.get(part) === most);
}

function idsIn(phase: string, tasks: readonly PlannedTask[]): readonly string[] {
  return tasks.filter((task) => task.phase === phase).map(({ id }) => id);
}

/** Each is a task for an agent, which waits for all before it. What is left goes to one more. */
const maxParts = 50;
const otherParts = "other parts";
/** Characters of what stands at a line: it only tells which checks are about it. */
const maxSearched = 20_000;

const maxDescription = 15_000;
/** Of its lists together: what is said beside them takes the rest. */
const maxListed = 14_000;

function describe({ lines, checks, related }: Part): string {
  let left = maxListed;
  const listed = <T>(items: readonly T[], show: (item: T) => string) => {
    const text = listUpTo(left, items, show);
    left -= text.length;
    return text;
  };
  const sections = [
    "The built-in builder follows rules. It has built the rest of the document, and what it made is here.",
    ...(lines.length === 0 ? [] : [`These lines of the document it does not honour:\n${listed(lines, shown)}`]),
    ...(checks.length === 0
      ? []
      : [`No rule was made for these checks of the document:\n${listed(checks, shownCheck)}`]),
    ...(related.length === 0
      ? []
      : [`These checks speak of them, and have to hold too:\n${listed(related, shownRelated)}`]),
    [
      "Change what is there so that they hold, with tests, and keep what works. The builder writes its files anew on each",
      "run, and the service merges them with your changes: prefer new files and small changes. Leave the README's chapter",
      "'Not built' and the folder 'docs/tasks' to the builder. Where a file has conflict marks, 'yours' is what an earlier",
      "run left and 'regenerated' what the builder made now: resolve them so that both count. If everything holds already,",
      "change nothing.",
    ].join("\n"),
  ];
  return sections.join("\n\n").slice(0, maxDescription);
}

/** As many as fit, and how many more there are. */
function listUpTo<T>(maxLength: number, items: readonly T[], show: (item: T) => string): string {
  let text = "";
  for (const [index, item] of items.entries()) {
    const next = `${show(item)}\n`;
    if (text.length + next.length > maxLength) return `${text}- and ${items.length - index} more: see the document`;
    text += next;
  }
  return text.trimEnd();
}

function shown({ pointer, line, text, reason }: RestLine): string {
  const written = text === undefined ? "" : `\n${withoutSecrets(text).replace(/^/gm, "      ")}`;
  return `- ${placeOf(pointer, line)}: ${reason}${written}`;
}

function shownCheck({ check, ...line }: Part["checks"][number]): string {
  return `${shown({ ...line, text: undefined })}\n      ${describeCheck(check)}`;
}

function shownRelated({ pointer, check }: AcceptanceLine): string {
  return `- ${pointer}: ${describeCheck(check)}`;
}

function placeOf(pointer: string, line: number | undefined): string {
  return line === undefined ? pointer : `${pointer}, line ${line}`;
}

const secretKey = "(?:password|passphrase|secret|token|credentials?|api_?key|private_?key)[\"']?\\s*:";
const secretInLine = new RegExp(`(${secretKey}[ \\t]+)[^\\s,}{[\\]][^\\n,}]*`, "gi");
const secretBlock = new RegExp(`^([ \\t]*)(?:-[ \\t]+)*[\\w"'-]*${secretKey}[ \\t]*(?:[|>].*)?$`, "i");

/** What looks like a secret in the document is not for an agent: its value on the same line, and on the lines below it. */
function withoutSecrets(text: string): string {
  let hidden: number | undefined;
  return text
    .split("\n")
    .flatMap((line) => {
      const indent = line.search(/\S/);
      if (hidden !== undefined && (indent === -1 || indent > hidden)) return [];
      hidden = secretBlock.exec(line)?.[1]?.length;
      return [hidden === undefined ? line.replace(secretInLine, "$1(left out)") : `${line} (left out)`];
    })
    .join("\n");
}
