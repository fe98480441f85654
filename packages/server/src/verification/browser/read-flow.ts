import { type FlowStep, isObservation, stepForms, type WrittenStep } from "./flow-step.ts";
import { atUrl, opened, parseStep, sought } from "./parse-step.ts";

/** Of one flow; more are not carried out. */
const maxSteps = 100;

/** The steps of a flow as a document writes it, or why it cannot be checked. */
export function readFlow(written: unknown): readonly WrittenStep[] | { readonly problem: string } {
  const parts = partsOf(written);
  if ("problem" in parts) return parts;
  if (parts.steps.length === 0) return { problem: `The flow has no steps. Write them as a list: ${stepForms}.` };
  if (parts.steps.length > maxSteps)
    return { problem: `The flow has ${parts.steps.length} steps, more than the ${maxSteps} that are carried out.` };
  const steps: WrittenStep[] = [];
  for (const [index, one] of parts.steps.entries()) {
    const read = readStep(one);
    if (read === undefined) {
      const problem = `Step ${index + 1}, ${shown(one)}, is not understood. These forms are: ${stepForms}.`;
      return { problem };
    }
    steps.push(...read.map((step) => ({ written: shown(one), step })));
  }
  if (!steps.some(({ step }) => isObservation(step)))
    return {
      problem: "Nothing in it can fail: let it end with what must be seen, such as 'see TEXT' or 'url is PATH'.",
    };
  const first = steps[0]?.step.is === "open" ? [] : [{ written: "open /", step: { is: "open", path: "/" } as const }];
  return [...first, ...steps];
}

type Parts = { readonly steps: readonly unknown[] } | { readonly problem: string };

/** What a flow is called, and says about itself to people. */
const labels = ["name", "title", "id", "description", "priority", "tags"];
const starts = ["start", "starts_at", "entry", "path", "url", "page"];
const ends = ["expect", "expects", "expected", "then", "outcome", "result"];

function partsOf(written: unknown): Parts {
  if (typeof written === "string") return { steps: split(written) };
  if (Array.isArray(written)) return { steps: written };
  if (typeof written !== "object" || written === null) return { steps: [] };
  const steps: unknown[] = [];
  const last: unknown[] = [];
  for (const [key, value] of Object.entries(written as Record<string, unknown>)) {
    if (labels.includes(key)) continue;
    if (key === "steps" || (key === "flow" && typeof value !== "string")) steps.push(...listOf(value));
    else if (key === "flow") continue;
    else if (starts.includes(key)) steps.unshift({ open: value });
    else if (ends.includes(key)) last.push(...listOf(value));
    else
      return {
        problem: `Nobody knows what '${key.slice(0, 100)}' of the flow means. Write it as a step: ${stepForms}.`,
      };
  }
  return { steps: [...steps, ...last] };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : typeof value === "string" ? split(value) : [value];
}

/** Steps in one text: by arrows, semicolons, lines, or the word `then`. */
function split(text: string): readonly string[] {
  const parts = text.slice(0, 20_000).split(/→|->|=>|;|\n|,? then /);
  return parts.map((part) => part.replace(/^\s*(?:\d+[.)]|[-*])\s+/, "").trim()).filter((part) => part !== "");
}

/** A step in words, or as a map of one action; a map of fields is several. */
function readStep(written: unknown): readonly FlowStep[] | undefined {
  if (typeof written === "string") return once(parseStep(written));
  if (typeof written !== "object" || written === null || Array.isArray(written)) return undefined;
  const fields = written as Record<string, unknown>;
  if (typeof fields["action"] === "string") return once(spelledOut(fields));
  const entries = Object.entries(fields);
  const [action = "", value] = entries[0] ?? [];
  if (entries.length !== 1) return undefined;
  return stepsOf(action.toLowerCase().replaceAll(/[ -]/g, "_"), value) ?? withColon(action, value);
}

/** `see Total: 5` without quotes around it, which YAML reads as a map. */
function withColon(words: string, value: unknown): readonly FlowStep[] | undefined {
  if (!/\s/.test(words.trim()) || (typeof value === "object" && value !== null)) return undefined;
  return once(parseStep(`${words}: ${value}`));
}

/** `{action: fill, target: Title, value: Milk}` */
function spelledOut({ action, target, value, ...more }: Record<string, unknown>): FlowStep | undefined {
  if (Object.keys(more).length > 0) return undefined;
  const read = value === undefined ? target : target === undefined ? value : { [String(target)]: value };
  return stepsOf(String(action).toLowerCase().replaceAll(/[ -]/g, "_"), read)?.[0];
}

function stepsOf(action: string, value: unknown): readonly FlowStep[] | undefined {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return pairsOf(action, value);
  if (Array.isArray(value)) return all(value.map((one: unknown) => stepsOf(action, one)));
  const text = value === null || value === undefined || value === true ? "" : String(value);
  switch (action) {
    case "reload":
    case "refresh":
      return text === "" ? [{ is: "reload" }] : undefined;
    case "back":
    case "go_back":
      return text === "" ? [{ is: "back" }] : undefined;
    case "open":
    case "visit":
    case "goto":
    case "go_to":
    case "navigate":
      return once(opened(text));
    case "url":
    case "url_is":
      return once(atUrl(text, false));
    case "url_contains":
      return text === "" ? undefined : once(atUrl(text, true));
    case "title":
    case "title_is":
      return text === "" ? undefined : [{ is: "title", text: sought(text) }];
    case "not_see":
    case "do_not_see":
    case "does_not_see":
    case "dont_see":
      return once(parseStep(`do not see ${text}`));
    case "click":
    case "press":
    case "tap":
    case "select":
    case "choose":
    case "check":
    case "uncheck":
    case "fill":
    case "type":
    case "enter":
    case "see":
    case "expect":
    case "shows":
    case "wait_for":
    case "accept":
      return text === "" ? undefined : once(parseStep(`${action.replace("_", " ")} ${text}`));
    default:
      return undefined;
  }
}

/** `{fill: {Title: Milk, Amount: 2}}` */
function pairsOf(action: string, pairs: object): readonly FlowStep[] | undefined {
  const steps = Object.entries(pairs).map(([field, value]: [string, unknown]): FlowStep | undefined => {
    if (typeof value === "object" && value !== null) return undefined;
    const text = String(value ?? "");
    if (["fill", "type", "enter", "set"].includes(action)) return { is: "fill", field, text };
    if (["select", "choose", "pick"].includes(action)) return { is: "select", option: text, field };
    if (["value", "has_value", "values"].includes(action)) return { is: "has_value", field, text };
    return undefined;
  });
  return steps.length === 0 ? undefined : all(steps.map(once));
}

function once(step: FlowStep | undefined): readonly FlowStep[] | undefined {
  return step && [step];
}

function all(lists: readonly (readonly FlowStep[] | undefined)[]): readonly FlowStep[] | undefined {
  return lists.length === 0 || lists.includes(undefined) ? undefined : lists.flatMap((list) => list!);
}

/** As it was written, for messages; only its beginning if it is long. */
function shown(written: unknown): string {
  const [[words = "", value] = [], ...more] = typeof written === "object" ? Object.entries(written ?? {}) : [];
  const isColon = more.length === 0 && withColon(words, value) !== undefined;
  const asText = isColon ? `${words}: ${value}` : (JSON.stringify(written) ?? "nothing");
  const text = typeof written === "string" ? written : asText;
  return `'${text.length > 100 ? `${text.slice(0, 99)}…` : text}'`;
}
