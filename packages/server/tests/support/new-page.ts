import type { Browser, Page } from "playwright-core";

/**
 * A page of a fresh context, where nothing turns: without a graphics card, sixty pictures a second are a core's work. A busy
 * machine may take its time; what never comes is ended by the test's own limit.
 */
export async function newPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext({ reducedMotion: "reduce" })).newPage();
  page.setDefaultTimeout(240_000);
  return page;
}
