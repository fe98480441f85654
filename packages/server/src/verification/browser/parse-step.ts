import { type FlowStep, heldKeys, keys, roles, type SoughtText } from "./flow-step.ts";

/** A text of more characters is no step: patterns take time for each. */
const maxChars = 500;

/** What a step in plain English asks for; undefined if it is not understood. */
export function parseStep(written: string): FlowStep | undefined {
  if (written.length > maxChars) return undefined;
  const text = withoutActor(written.replaceAll(/\s+/g, " ").trim().replace(/[.!]$/, ""));
  if (several.test(text.replaceAll(new RegExp(quoted, "gu"), "''"))) return undefined;
  for (const [pattern, toStep] of forms) {
    const found = pattern.exec(text);
    const step = found === null ? undefined : toStep((found.groups ?? {}) as Readonly<Record<string, string>>);
    if (step !== undefined) return step;
  }
  return undefined;
}

/** `Then the user clicks Add` → `clicks Add` */
function withoutActor(text: string): string {
  const first = text.replace(/^(?:and then|and|then|next|finally|given|when)[,:]? /i, "");
  const actor = /^(?:(?:the |an? )?(?:user|visitor|customer|guest|person|page|app|browser|screen)|i|they|we|it) /i;
  return first.replace(actor, "").replace(/^(?:can|should|must|will) (?!not\b)/i, "");
}

type ToStep = (groups: Readonly<Record<string, string>>) => FlowStep | undefined;

const quoted = String.raw`"[^"]+"|'[^']+'|“[^”]+”|\x60[^\x60]+\x60`;
/** Not empty, and without a quotation mark at either end unless both have one. */
const name = (group: string) => `(?<${group}>${quoted}|.+?)`;
const form = (pattern: string) => new RegExp(`^${pattern}$`, "iu");
const see = `(?:sees?|expects?(?: to see)?|shows?|displays?|contains?)`;
const not = `(?:(?:does|do|should|must|will|can) ?n[o'’]t|cannot|can't)`;

/** Two things in one sentence: the second would be taken for a part of the first. */
const several =
  / (?:and|then|,) (?:then )?(?:the user |he |she |they |it )?(?:clicks?|press(?:es)?|fills?|types?|enters?|selects?|chooses?|checks?|opens?|sees?|submits?|goes|go) | with .* with /i;
/** Prose about a page, not a text in it: that would begin with a capital letter, or be quoted. */
const isVague = /^(?:an?|the|that|their|his|her|its|my|your|our|all|some|any|both|each|every|only|no) /;

/** In this order: the first that fits counts. */
const forms: readonly (readonly [RegExp, ToStep])[] = [
  [form(`(?:re-?loads?|refresh(?:es)?)(?: the page)?`), () => ({ is: "reload" })],
  [form(`(?:goes|go|navigates?) back`), () => ({ is: "back" })],
  [form(`(?:accepts?|confirms?) (?:the |all )?(?:dialogs?|alerts?|confirmations?|prompts?)`), () => dialogs],
  [
    form(
      `(?:opens?|visits?|loads?|goes to|go to|navigates? to|starts? (?:at|on)|browses? to) (?:the )?(?:page |url |path )?${name("path")}`,
    ),
    ({ path = "" }) => opened(unquote(path)),
  ],
  [
    form(
      `(?:(?:the )?(?:url|address|path) (?<how>is|equals|contains|ends with|should be|should contain)|(?:is |gets |be )?(?:redirected|taken|brought|sent) to|lands? (?:on|at)|is (?:on|at)) (?:the )?(?:page |url )?${name("path")}`,
    ),
    ({ path = "", how }) => atUrl(unquote(path), /contain|ends/i.test(how ?? "")),
  ],
  [
    form(`(?:the )?(?:page )?title (?:is|contains|shows|should be|should contain) ${name("text")}`),
    ({ text = "" }) => ({ is: "title", text: sought(text) }),
  ],
  [
    form(`(?:fills?|fills? in|fills? out) (?:the |in the )?${name("field")}(?: field| input)? with ${name("text")}`),
    filled,
  ],
  [
    form(
      `(?:enters?|types?|puts?|writes?|inputs?) ${name("text")} (?:into|in|to|as|for) (?:the )?${name("field")}(?: field| input| box)?`,
    ),
    filled,
  ],
  [form(`sets? (?:the )?${name("field")} to ${name("text")}`), filled],
  [
    form(
      `(?:selects?|chooses?|picks?) (?:the )?(?:option )?${name("option")} (?:from|in|for|as) (?:the )?${name("field")}(?: field| list| menu| dropdown)?`,
    ),
    ({ option = "", field = "" }) => ({ is: "select", option: unquote(option), field: unquote(field) }),
  ],
  [form(`unchecks? (?:the )?${name("name")}(?: checkbox)?`), named("uncheck")],
  [form(String.raw`(?:checks?|ticks?) (?!that\b)(?:the )?${name("name")}(?: checkbox)?`), named("check")],
  [
    form(String.raw`(?:press(?:es)?|hits?) (?:the )?(?<key>\S+)(?<said> key)?`),
    ({ key = "", said }) => {
      // What is quoted is a name on the page, unless the step says that it is a key.
      const known = keyOf(said === undefined ? key : unquote(key));
      return known === undefined ? undefined : { is: "press", key: known };
    },
  ],
  [
    form(`(?:selects?|chooses?|picks?) (?:the )?(?:option )?${name("option")}`),
    ({ option = "" }) => ({ is: "select", option: unquote(option) }),
  ],
  [
    form(`(?:clicks?|press(?:es)?|taps?) (?:on )?(?:the )?${name("name")}`),
    ({ name: clicked = "" }) => ({ is: "click", ...nameAndRole(clicked) }),
  ],
  [
    form(`(?:the )?(?:field )?${name("field")}(?: field)? (?:has(?: the)? value|holds) ${name("text")}`),
    ({ field = "", text = "" }) => ({ is: "has_value", field: unquote(field), text: unquote(text) }),
  ],
  [form(`(?:${not} ${see}|no longer ${see}) ${name("text")}`), seen("not_see")],
  [
    form(`(?<text>${quoted}) (?:disappears|is gone|is(?: not|n't) (?:visible|shown|displayed|listed))`),
    seen("not_see"),
  ],
  [form(`(?<text>${quoted}) (?:appears|is (?:visible|shown|displayed|listed))`), seen("see")],
  [form(`(?:${see}|waits? for) ${name("text")}`), seen("see")],
];

const dialogs: FlowStep = { is: "accept_dialogs" };

function filled({ field = "", text = "" }: Readonly<Record<string, string>>): FlowStep {
  return { is: "fill", field: unquote(field), text: unquote(text) };
}

function named(is: "check" | "uncheck"): ToStep {
  return ({ name: checked = "" }) => ({ is, name: unquote(checked) });
}

function seen(is: "see" | "not_see"): ToStep {
  return ({ text: written = "" }) => {
    const text = written.replace(/^(?:the )?(?:text |message )?(?=["'“`])|^the (?=\S+ ["'“`])/i, "");
    const { name: plain, role } = nameAndRole(text);
    if (role !== undefined) return { is, text: { text: plain, isExact: false }, role };
    return unquote(text) === text && isVague.test(text) ? undefined : { is, text: sought(text) };
  };
}

/** `ctrl+s` → `Control+s`; undefined if no keyboard has such a key. */
function keyOf(written: string): string | undefined {
  const [last = "", ...held] = written.split(/(?<=.)\+/).reverse();
  const key = keys[last.toLowerCase()] ?? (/^[!-~]$/.test(last) && !/["'`]/.test(last) ? last : undefined);
  const modifiers = held.reverse().map((name) => heldKeys[name.toLowerCase()]);
  if (key === undefined || modifiers.includes(undefined)) return undefined;
  return [...modifiers, key].join("+");
}

/** `Add button` and `button "Add"` → a button with the name `Add`. */
function nameAndRole(written: string): { readonly name: string; readonly role?: string } {
  const kinds = Object.keys(roles).join("|");
  const called = "(?: (?:called|named|labell?ed|with(?: the)? (?:text|name|label)))?";
  const patterns = [
    `^(?<kind>${kinds})${called} (?<name>${quoted})$`,
    `^(?<name>${quoted}) (?<kind>${kinds})$`,
    "^(?<kind>button|link) (?<name>[^\"'].*)$",
    "^(?<name>[^\"'].*) (?<kind>button|link|heading|tab|checkbox|image|dialog)$",
  ];
  for (const pattern of patterns) {
    const groups = new RegExp(pattern, "iu").exec(written)?.groups;
    if (groups !== undefined)
      return { name: unquote(groups["name"] ?? ""), role: roles[groups["kind"]?.toLowerCase() ?? ""]! };
  }
  return { name: unquote(written) };
}

/** What to look for: a text in quotation marks exactly so. */
export function sought(written: string): SoughtText {
  const text = unquote(written);
  return { text, isExact: text !== written };
}

/** Only places in the software itself can be opened. */
export function opened(written: string): FlowStep | undefined {
  if (/^(?:home|home ?page|start ?page|main page|root|app|site|website|page)$/i.test(written))
    return { is: "open", path: "/" };
  const path = pathOf(written);
  return path === undefined ? undefined : { is: "open", path };
}

/** The address that the page must have: its path, and whatever else is written. */
export function atUrl(written: string, isPart: boolean): FlowStep | undefined {
  if (isPart) return { is: "url", path: written, isWhole: false };
  const path = pathOf(written);
  return path === undefined ? undefined : { is: "url", path, isWhole: true };
}

function pathOf(written: string): string | undefined {
  if (/^\/(?!\/)\S*$/.test(written)) return written;
  const url = /^https?:\/\//i.test(written) ? URL.parse(written) : null;
  const isHere = url !== null && /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  return isHere ? url.pathname + url.search + url.hash : undefined;
}

function unquote(text: string): string {
  return new RegExp(`^(?:${quoted})$`, "u").test(text) ? text.slice(1, -1) : text;
}
