import type { Locator, Page } from "playwright-core";

const maxFrames = 20;
const maxChars = 1024 * 1024;
/** Attributes that are shown: in an empty field, in place of a picture, in a list. */
const shownAttributes = ["placeholder", "alt", "label", "value"];

/**
 * All that a picture can show: texts, also those of frames, of components and of styles, and what fields hold. Undefined
 * where that is too much.
 */
export async function readPage(page: Page): Promise<string | undefined> {
  const [main, ...frames] = page.frames().map((frame) => frame.locator("body"));
  if (frames.length > maxFrames) return undefined;
  const shown = await visibleText(main!, 5_000);
  // The snapshot has all but those that the browser keeps in processes of their own.
  const framed = await Promise.all(frames.map((frame) => visibleText(frame, 1_000).catch(() => "")));
  const all = [shown, ...framed, ...(await snapshotTexts(page))].join("\n");
  return all.length > maxChars ? undefined : all;
}

function visibleText(body: Locator, timeout: number): Promise<string> {
  // biome-ignore lint/performance/useDomNodeTextContent: only what can be seen is in a picture
  return body.innerText({ timeout });
}

/** What the browser itself knows of: no script of the page hides a text from it. */
async function snapshotTexts(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  try {
    const { documents, strings } = await session.send("DOMSnapshot.captureSnapshot", { computedStyles: [] });
    const at = (index: number) => strings[index] ?? "";
    return documents.flatMap(({ layout, nodes }) => {
      const attributes = nodes.attributes?.flatMap((pairs) =>
        pairs.flatMap((name, index) =>
          index % 2 === 0 && shownAttributes.includes(at(name)) ? [at(pairs[index + 1]!)] : [],
        ),
      );
      const values = [...(nodes.inputValue?.value ?? []), ...(nodes.textValue?.value ?? [])].map(at);
      return [layout.text.map(at).join(""), ...values, ...(attributes ?? [])];
    });
  } finally {
    await session.detach();
  }
}
