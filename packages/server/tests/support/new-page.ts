import type { Browser, Page } from "playwright-core";

/** A page of a fresh context. A busy machine may take its time; what never comes is ended by the test's own limit. */
export async function newPage(browser: Browser): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  page.setDefaultTimeout(240_000);
  return page;
}
