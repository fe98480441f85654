import type { Locator, Page } from "playwright-core";
import type { SoughtText } from "../flow-step.ts";
import { polls } from "./polls.ts";

type Role = Parameters<Page["getByRole"]>[0];

const maxTextChars = 1024 * 1024;
const clickableRoles: readonly Role[] = ["button", "link", "menuitem", "tab", "checkbox", "radio", "switch", "option"];
const fieldRoles: readonly Role[] = ["textbox", "searchbox", "spinbutton", "combobox", "slider"];

/** The first of these that somebody can see, the best candidates first; undefined if there is none in time. */
export async function firstVisible(
  page: Page,
  candidates: readonly Locator[],
  limitMs: number,
): Promise<Locator | undefined> {
  for await (const _ of polls(limitMs)) {
    for (const candidate of candidates) {
      const visible = candidate.filter({ visible: true });
      // Between two pages there is nothing to ask.
      if ((await visible.count().catch(() => 0)) > 0) return visible.first();
    }
    if (page.isClosed()) return undefined;
  }
  return undefined;
}

/**
 * What can be clicked and has this name: exactly this one before longer ones, things made to be clicked before texts. A
 * button of the form that is being filled in comes first: a link above it may have the same name.
 */
export function clickable(page: Page, name: string, role?: string, form?: Locator): readonly Locator[] {
  const inForm = form === undefined ? [] : [form.getByRole((role as Role) ?? "button", { name, exact: true })];
  const own = role === undefined ? [] : inTwoWays((exact) => page.getByRole(role as Role, { name, exact }));
  const any = inTwoWays((exact) => byRoles(page, clickableRoles, name, exact));
  return [...inForm, ...own, ...any, ...inTwoWays((exact) => page.getByText(name, { exact }))];
}

/** What can be filled in and has this name, as people see it; else as the form sends it. */
export function field(page: Page, name: string): readonly Locator[] {
  const fillable = page.locator("input, textarea, select, [contenteditable], [role=textbox], [role=combobox]");
  return [
    ...inTwoWays((exact) =>
      byRoles(page, fieldRoles, name, exact)
        .or(page.getByLabel(name, { exact }).and(fillable))
        .or(page.getByPlaceholder(name, { exact })),
    ),
    page.locator(`[name="${name.replaceAll(/["\\]/g, "")}" i]`).and(fillable),
  ];
}

/** What can be ticked and has this name; its label will do where the box itself is only painted. */
export function ticked(page: Page, name: string): readonly Locator[] {
  const boxes = inTwoWays((exact) => byRoles(page, ["checkbox", "switch", "radio"], name, exact));
  return [
    ...boxes,
    ...inTwoWays((exact) => page.getByLabel(name, { exact })),
    ...inTwoWays((exact) => page.locator("label").getByText(name, { exact })),
  ];
}

/** The list with this option. */
export function optionOf(page: Page, option: string, name: string | undefined): readonly Locator[] {
  const has = page
    .locator("select")
    .filter({ has: page.getByRole("option", { name: option, exact: true, includeHidden: true }) });
  if (name === undefined) return [has];
  return inTwoWays((exact) =>
    has.and(page.getByLabel(name, { exact }).or(page.getByRole("combobox", { name, exact }))),
  );
}

/** Whether a text, or something with this role and name, can be seen. */
export async function isOnPage(page: Page, text: SoughtText, role?: string): Promise<boolean> {
  const words = wordsOf(text);
  if (role !== undefined) return isVisible(page.getByRole(role as Role, { name: words }));
  if (await isVisible(page.getByText(words).or(page.getByAltText(words)))) return true;
  // A text that is made of several elements side by side.
  // biome-ignore lint/performance/useDomNodeTextContent: hidden texts do not count
  const shown = await page.locator("body").innerText({ timeout: 2_000 });
  return words.test(shown.slice(0, maxTextChars).replaceAll(/\s+/g, " "));
}

async function isVisible(locator: Locator): Promise<boolean> {
  return (await locator.filter({ visible: true }).count()) > 0;
}

/** Finds a text as whole words: `1 item` is not in `11 items`. */
export function wordsOf({ text, isExact }: SoughtText): RegExp {
  const plain = text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${plain}(?![\p{L}\p{N}_])`, isExact ? "u" : "iu");
}

function byRoles(page: Page, roles: readonly Role[], name: string, exact: boolean): Locator {
  return roles.map((role) => page.getByRole(role, { name, exact })).reduce((all, one) => all.or(one));
}

function inTwoWays(locate: (exact: boolean) => Locator): readonly [Locator, Locator] {
  return [locate(true), locate(false)];
}
