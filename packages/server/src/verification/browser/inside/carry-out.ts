import type { Browser, BrowserContext, Page } from "playwright-core";
import type { WrittenStep } from "../flow-step.ts";
import { doStep, StepFailure } from "./do-step.ts";
import type { FlowEnd } from "./messages.ts";
import { readPage } from "./read-page.ts";
import { shortened } from "./shortened.ts";
import { TooLong, within } from "./within.ts";

interface ToCarryOut {
  readonly steps: readonly WrittenStep[];
  /** Of its files. */
  readonly name: string;
  readonly origin: string;
  readonly stepMs: number;
  readonly flowMs: number;
  readonly ports: readonly number[];
  readonly onStep: (step: number) => void;
}

const maxNamesChars = 500;
const maxElsewhere = 3;
const maxErrorChars = 200;
const pictureMs = 10_000;

/** Carries out one flow, as somebody whom the software has never seen before. */
export async function carryOut(browser: Browser, flow: ToCarryOut): Promise<FlowEnd> {
  const { steps, name, stepMs, flowMs, origin, ports, onStep } = flow;
  const startedAt = performance.now();
  const deadline = startedAt + flowMs;
  const errors: string[] = [];
  const elsewhere = new Set<string>();
  let context: BrowserContext | undefined;
  let page: Page | undefined;
  let at = 0;
  let failed: FlowEnd["failed"];
  let isStuck = false;
  let isLimitOfFlow = false;
  try {
    context = await within(pictureMs, openContext(browser));
    page = await within(pictureMs, openPage(context, errors));
    noteElsewhere(page, ports, elsewhere);
    const state = { page, origin, stepMs, acceptsDialogs: false };
    page.on(
      "dialog",
      (dialog) => void (state.acceptsDialogs ? dialog.accept() : dialog.dismiss()).catch(() => undefined),
    );
    for (const [index, { step }] of steps.entries()) {
      at = index;
      onStep(index);
      // Beside the limits of each call: a page may keep the browser busy, so that none of them counts.
      const limitMs = 3 * stepMs + 10_000;
      const leftMs = deadline - performance.now();
      // A timer may fire a little early: afterwards, the clock would not tell which of the two it was.
      isLimitOfFlow = leftMs < limitMs;
      await within(Math.min(limitMs, leftMs), doStep(state, step));
    }
  } catch (error) {
    isStuck = error instanceof TooLong || page?.isClosed() !== false;
    const isLate = error instanceof TooLong && isLimitOfFlow;
    const told = isLate ? tooLong(flowMs) : error instanceof StepFailure ? error.message : whyNot(error, isStuck);
    failed = { step: at, why: told, context: page === undefined || isStuck ? "" : await describePage(page) };
  }
  const [why] = errors;
  if (failed !== undefined && why !== undefined)
    failed = { ...failed, context: `${failed.context} The page had an error: ${why.replace(/\.$/, "")}.` };
  const isKept = context !== undefined && page !== undefined && !isStuck;
  const evidence = isKept ? await keepEvidence(context!, page!, name) : {};
  if (!isStuck)
    await within(pictureMs, context?.close() ?? Promise.resolve()).catch(() => {
      isStuck = true;
    });
  const durationMs = Math.round(performance.now() - startedAt);
  return { ...(failed !== undefined && { failed }), isStuck, durationMs, blocked: [...elsewhere], ...evidence };
}

function tooLong(flowMs: number): string {
  return `the flow took longer than ${flowMs / 1000} seconds. Make its pages quicker, or write two flows`;
}

function whyNot(error: unknown, isStuck: boolean): string {
  if (error instanceof TooLong) return `the page gave ${error.message}`;
  if (isStuck) return "the page did not answer any more";
  const [first = ""] = (error as Error).message.split("\n");
  return `it could not be done: ${shortened(first, maxErrorChars)}`;
}

async function openContext(browser: Browser): Promise<BrowserContext> {
  const [major] = browser.version().split(".");
  const context = await browser.newContext({
    acceptDownloads: false,
    permissions: [],
    // What a page registers would answer in place of the software.
    serviceWorkers: "block",
    viewport: { width: 1280, height: 720 },
    locale: "en-US",
    userAgent: `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36`,
  });
  await context.tracing.start({ screenshots: true, snapshots: true });
  return context;
}

async function openPage(context: BrowserContext, errors: string[]): Promise<Page> {
  const page = await context.newPage();
  context.on("page", (other) => {
    if (other !== page) void other.close().catch(() => undefined);
  });
  page.on("pageerror", ({ message }) => {
    if (errors.length < 5) errors.push(shortened(oneLine(message), maxErrorChars));
  });
  return page;
}

/** Notes which other places a page asks for: the proxy refuses them, and a person wants to know why it does not work. */
function noteElsewhere(page: Page, ports: readonly number[], elsewhere: Set<string>): void {
  const note = (address: string) => {
    const url = URL.parse(address);
    if (url === null || !/^(?:https?|wss?):$/.test(url.protocol) || elsewhere.size >= maxElsewhere) return;
    const isSoftware = url.hostname === "127.0.0.1" && ports.includes(Number(url.port));
    if (!isSoftware) elsewhere.add(shortened(url.host, 100));
  };
  page.on("request", (request) => note(request.url()));
  page.on("websocket", (socket) => note(socket.url()));
}

/** What is on the page, by the names that people with a screen reader hear. */
async function describePage(page: Page): Promise<string> {
  try {
    const snapshot = await within(pictureMs, page.locator("body").ariaSnapshot({ timeout: 3_000 }));
    const names = snapshot
      .slice(0, 100_000)
      .split("\n")
      .map((line) => line.replace(/^[\s-]+/, "").replace(/:$/, ""))
      .filter(
        (line) =>
          line !== "" &&
          !/^(?:\/url|list|listitem|generic|main|paragraph)\b/.test(line.replace(/^paragraph: /, "text: ")),
      );
    const { pathname } = new URL(page.url());
    const shown = names.length === 0 ? "nothing with a name or a text" : oneLine(names.join("; "));
    return `On the page ${shortened(pathname, 100)}: ${shortened(shown, maxNamesChars).replace(/\.$/, "")}.`;
  } catch {
    return "The page could not be read.";
  }
}

async function keepEvidence(context: BrowserContext, page: Page, name: string): Promise<Partial<FlowEnd>> {
  const kept: { pageText?: string; picture?: string; trace?: string } = {};
  try {
    const pageText = await within(pictureMs, readPage(page));
    await within(pictureMs, page.screenshot({ path: `${name}.png`, timeout: 5_000, animations: "disabled" }));
    Object.assign(kept, { ...(pageText !== undefined && { pageText }), picture: `${name}.png` });
  } catch {
    // A page that does not answer has no picture.
  }
  try {
    await within(pictureMs, context.tracing.stop({ path: `${name}.zip` }));
    kept.trace = `${name}.zip`;
  } catch {
    // Nor is there always a trace of one.
  }
  return kept;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}
