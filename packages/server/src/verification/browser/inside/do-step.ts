import type { Locator, Page } from "playwright-core";
import type { FlowStep } from "../flow-step.ts";
import { isDead } from "./dead-text.ts";
import { clickable, field, firstVisible, isOnPage, optionOf, ticked, wordsOf } from "./find-element.ts";
import { polls } from "./polls.ts";
import { shortened } from "./shortened.ts";

/** A step that cannot be done as written: the software is to blame. */
export class StepFailure extends Error {}

interface FlowState {
  readonly page: Page;
  readonly origin: string;
  /** For each thing that is looked for. */
  readonly stepMs: number;
  acceptsDialogs: boolean;
  /** The form of the field that was filled in last, until something is clicked. */
  form?: Locator | undefined;
}

/** Until a page is quiet enough to say that something is not there. */
const quietMs = 2_000;

/** Does one step in the page, or throws why it cannot be done. */
export async function doStep(state: FlowState, step: FlowStep): Promise<void> {
  const { page, stepMs } = state;
  const timeout = stepMs;
  switch (step.is) {
    case "open":
      return open(state, step.path);
    case "reload":
      await page.reload({ waitUntil: "domcontentloaded", timeout: 2 * stepMs }).catch(notLoaded);
      return;
    case "back":
      await page.goBack({ waitUntil: "domcontentloaded", timeout: 2 * stepMs }).catch(notLoaded);
      return;
    case "accept_dialogs":
      state.acceptsDialogs = true;
      return;
    case "click": {
      const found = clickable(page, step.name, step.role, state.form);
      state.form = undefined;
      const one = await find(state, found, "button, link or text", step.name);
      // A script may begin to listen after the text is there.
      if (!(await until(state, async () => !(await isDead(one, timeout)))))
        throw new StepFailure("it is on the page, but no link or button, and no script listens to a click there");
      return act(one, (element) => element.click({ timeout }));
    }
    case "press":
      return page.keyboard.press(step.key);
    case "check":
    case "uncheck":
      return act(await find(state, ticked(page, step.name), "checkbox", step.name), (one) =>
        one.setChecked(step.is === "check", { timeout }),
      );
    case "fill": {
      const found = await find(state, field(page, step.field), "field", step.field);
      state.form = found.locator("xpath=ancestor::form[1]");
      return act(found, (one) => one.fill(step.text, { timeout }));
    }
    case "select":
      return select(state, step.option, step.field);
    case "has_value": {
      const found = await find(state, field(page, step.field), "field", step.field);
      let value = "";
      const isSo = await until(state, async () => {
        value = await found.inputValue({ timeout });
        return value.trim() === step.text.trim();
      });
      if (!isSo) throw new StepFailure(`the field '${step.field}' has the value '${shortened(value, 100)}'`);
      return;
    }
    case "see":
      if (await until(state, () => isOnPage(page, step.text, step.role))) return;
      throw new StepFailure(
        `${step.role === undefined ? "this text" : `no ${step.role} with this name`} is not on the page`,
      );
    case "not_see":
      await page.waitForLoadState("networkidle", { timeout: quietMs }).catch(() => undefined);
      if (await until(state, async () => !(await isOnPage(page, step.text, step.role)))) return;
      throw new StepFailure("it is on the page");
    case "url":
      if (await until(state, async () => isAt(state, step))) return;
      throw new StepFailure(`the page is at '${shortened(page.url().replace(state.origin, ""), 200)}'`);
    case "title": {
      if (await until(state, async () => wordsOf(step.text).test(await page.title()))) return;
      throw new StepFailure(`the title is '${shortened(await page.title(), 200)}'`);
    }
  }
}

async function open({ page, origin, stepMs }: FlowState, path: string): Promise<void> {
  const answer = await page
    .goto(origin + path, { waitUntil: "domcontentloaded", timeout: 2 * stepMs })
    .catch(notLoaded);
  const status = answer?.status() ?? 0;
  // One that is missing or forbidden may be just what the flow is about.
  if (status >= 500) throw new StepFailure(`the software answered ${status}`);
}

function notLoaded(error: Error): never {
  const isLate = error.name === "TimeoutError";
  const [first = ""] = error.message.split("\n");
  throw new StepFailure(isLate ? "the page did not load in time" : `the page did not load (${shortened(first, 150)})`);
}

async function find(
  { page, stepMs }: FlowState,
  candidates: readonly Locator[],
  what: string,
  name: string,
): Promise<Locator> {
  const found = await firstVisible(page, candidates, stepMs);
  if (found === undefined) throw new StepFailure(`no ${what} '${shortened(name, 100)}' is on the page`);
  return found;
}

async function act(element: Locator, action: (element: Locator) => Promise<unknown>): Promise<void> {
  try {
    await action(element);
  } catch (error) {
    if ((error as Error).name !== "TimeoutError") throw error;
    const isEnabled = await element.isEnabled({ timeout: 500 }).catch(() => true);
    throw new StepFailure(isEnabled ? "it is on the page, but something covers it" : "it is on the page, but disabled");
  }
}

async function select(state: FlowState, option: string, name: string | undefined): Promise<void> {
  const { page, stepMs: timeout } = state;
  const lists = optionOf(page, option, name);
  const found = await firstVisible(page, [...lists, ...clickable(page, option)], timeout);
  if (found === undefined)
    throw new StepFailure(
      `no option '${shortened(option, 100)}'${name === undefined ? "" : ` of '${shortened(name, 100)}'`} is on the page`,
    );
  const isList = await found.evaluate((element) => element.tagName === "SELECT", undefined, { timeout });
  await act(found, (one) => (isList ? one.selectOption({ label: option }, { timeout }) : one.click({ timeout })));
}

function isAt(
  { page, origin }: FlowState,
  { path, isWhole }: { readonly path: string; readonly isWhole: boolean },
): boolean {
  const url = page.url();
  if (!url.startsWith(`${origin}/`)) return false;
  const here = url.slice(origin.length);
  if (!isWhole) return here.includes(path);
  // What is not written does not matter: a query, a fragment, a slash at the end, and what a placeholder stands for.
  const plain = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const parts = path.replace(/(?<=.)\/$/, "").split(/\{[^{}]*\}|(?<=\/):\w+/);
  return new RegExp(`^${parts.map(plain).join("[^/?#]+")}/?${/[?#]/.test(path) ? "" : "(?:[?#].*)?"}$`, "s").test(here);
}

async function until({ stepMs }: FlowState, isSo: () => Promise<boolean>): Promise<boolean> {
  for await (const _ of polls(stepMs)) {
    // Between two pages there is nothing to ask.
    if (await isSo().catch(() => false)) return true;
  }
  return false;
}
