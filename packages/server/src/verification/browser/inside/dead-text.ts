import type { Locator } from "playwright-core";

/** What a browser itself answers a click on. */
const active =
  "a[href], area[href], button, input, select, textarea, label, summary, option, video, audio, iframe, object, embed, [contenteditable], [tabindex]";

/**
 * Whether nothing can come of a click on an element: it is in no link or control, and no script listens there or above. A
 * flow that clicks on such a text would pass whatever the software does.
 */
export async function isDead(element: Locator, timeoutMs: number): Promise<boolean> {
  const timeout = timeoutMs;
  const isActive = await element.evaluate((one, selector) => one.closest(selector) !== null, active, { timeout });
  if (isActive) return false;
  await element.scrollIntoViewIfNeeded({ timeout });
  const box = await element.boundingBox({ timeout });
  if (box === null) return false;
  const page = element.page();
  const session = await page.context().newCDPSession(page);
  try {
    // Only the console's own functions tell who listens.
    const { result } = await session.send("Runtime.evaluate", {
      expression: `(${nothingListens})(${box.x + box.width / 2}, ${box.y + box.height / 2}, ${JSON.stringify(active)})`,
      includeCommandLineAPI: true,
      returnByValue: true,
    });
    return result.value === true;
  } finally {
    await session.detach();
  }
}

/** As text: it runs in the page, beside the functions of the console. */
const nothingListens = `(x, y, active) => {
  const events = ["click", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend", "dblclick"];
  // Playwright itself listens at the window, to see whether its clicks arrive.
  const isOfPage = ({ listener }) => !String(listener).includes("_hitTargetInterceptor");
  const listens = (target) => events.some((event) => (getEventListeners(target)[event] ?? []).some(isOfPage));
  const first = document.elementFromPoint(x, y);
  // What is inside of such an element is not seen from here.
  const isOpaque = (element) => element.shadowRoot !== null || element.localName.includes("-");
  for (let one = first; one !== null; one = one.parentElement)
    if (one.matches(active) || isOpaque(one) || listens(one)) return false;
  return first !== null && !listens(document) && !listens(window) && document.querySelector(":popover-open") === null;
}`;
