import { type CompleteSpec, slugOf } from "@slipway/spec";
import { pointerPart } from "../../kit/pointer.ts";
import { colourOf, type Fields, fieldsOf, listOf, textOf, textsOf, wholeOf } from "../../kit/read-value.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";

export interface Page {
  readonly id: string;
  /** The file of its text. */
  readonly file: string;
  /** JSON Pointer to it in the document. */
  readonly pointer: string;
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly body: string;
}

export interface Site {
  readonly name: string;
  readonly language: string;
  readonly licence: string;
  readonly accent: string;
  readonly font: string;
  readonly hasDarkMode: boolean;
  readonly widthCharacters: number;
  readonly searchIndex: string;
  readonly searchFields: readonly string[];
  readonly features: readonly string[];
  readonly navigation: readonly { readonly title: string; readonly pages: readonly string[] }[];
  readonly pages: readonly Page[];
  readonly unmet: readonly Unmet[];
}

const knownFeatures = [
  "table_of_contents",
  "previous_next",
  "heading_anchors",
  "print_stylesheet",
  "search",
  "dark_mode",
  "sitemap",
];
const knownKeys = new Set(["language", "licence", "license", "theme", "search", "features", "pages", "title", "name"]);
const searchable = ["title", "headings", "text"];

/** Reads the site from `site`, `navigation` and `content` or `pages`. */
export function readSite(document: CompleteSpec): Site {
  const unmet: Unmet[] = [];
  const given = document as Fields;
  const site = fieldsOf(given["site"]);
  const refuse = (pointer: string, reason: string) => unmet.push({ pointer, reason });
  for (const key of Object.keys(site))
    if (!knownKeys.has(key)) refuse(`/site/${pointerPart(key)}`, "The builder does not know this key of a site.");
  const theme = fieldsOf(site["theme"]);
  const search = fieldsOf(site["search"]);
  const features = "features" in site ? textsOf(site["features"]) : knownFeatures;
  for (const [index, feature] of features.entries())
    if (!knownFeatures.includes(feature)) refuse(`/site/features/${index}`, `${feature} is not built.`);
  const searchIndex = safePath(search["index"]) ?? "/search-index.json";
  const pages = readPages(document, searchIndex, refuse);
  const fields = textsOf(search["fields"]).filter((field) => searchable.includes(field));
  return {
    name: textOf(site["title"], textOf(site["name"], textOf(document.name, document.id))),
    language: /^[a-z]{2,3}(?:-[A-Za-z\d]{2,8})*$/.test(textOf(site["language"], ""))
      ? textOf(site["language"], "")
      : "en",
    licence: textOf(site["licence"], textOf(site["license"], "")),
    accent: colourOf(theme["accent"]) ?? "#1d5a7a",
    font: /^[\w -]{1,40}$/.test(textOf(theme["font"], "")) ? textOf(theme["font"], "") : "Georgia",
    hasDarkMode: theme["dark_mode"] !== false,
    widthCharacters: wholeOf(theme["width_characters"], 70, { min: 30, max: 140 }),
    searchIndex,
    searchFields: fields.length === 0 ? searchable : fields,
    features: features.filter((feature) => knownFeatures.includes(feature)),
    navigation: readNavigation(given["navigation"], pages, refuse),
    pages,
    unmet,
  };
}

type Refuse = (pointer: string, reason: string) => void;

function readPages(document: CompleteSpec, searchIndex: string, refuse: Refuse): readonly Page[] {
  const given = document as Fields;
  const [key, value] =
    ["content", "pages"].map((name) => [name, given[name]] as const).find(([, each]) => each !== undefined) ?? [];
  const entries: readonly (readonly [string, Fields])[] = Array.isArray(value)
    ? value.map((each, index) => [String(index), typeof each === "string" ? { title: each } : fieldsOf(each)])
    : Object.entries(fieldsOf(value)).map(([id, each]) => [
        id,
        { id, ...(typeof each === "string" ? { body: each } : fieldsOf(each)) },
      ]);
  if (entries.length === 0) return unwrittenPages(document, refuse);
  const ids = new SafeNames();
  const paths = new Set([searchIndex, "/404.html", "/sitemap.xml", "/health"]);
  return entries.map(([place, page], index) => {
    const title = textOf(page["title"], textOf(page["id"], `Page ${index + 1}`));
    const id = ids.take(textOf(page["id"], slugOf(title)));
    const wanted = safePath(page["path"]) ?? (index === 0 || id === "index" ? "/" : `/${id}/`);
    const path = [wanted, `/${id}/`, `/${id}-${index}/`].find(
      (each) => !paths.has(each) && !each.startsWith("/assets/"),
    )!;
    paths.add(path);
    const pointer = `/${key}/${pointerPart(place)}`;
    if ("path" in page && path !== page["path"]) refuse(`${pointer}/path`, `The page is at ${path}.`);
    const body = ["body", "text", "markdown"].map((name) => page[name]).find((text) => typeof text === "string");
    if (body === undefined) refuse(pointer, `There is no text for ${title}: the page says only that.`);
    const summary = textOf(page["summary"], textOf(page["description"], "")).trim();
    return {
      id,
      file: `content/${id}.md`,
      pointer,
      path,
      title,
      summary,
      body: (body as string | undefined) ?? unwritten,
    };
  });
}

const unwritten = "This page has not been written yet.";

/** Without any text in the document: a page for each of its tasks that says it is not written yet. */
function unwrittenPages(document: CompleteSpec, refuse: Refuse): readonly Page[] {
  const scripts = Object.values(fieldsOf(document.scripts)).join(" ");
  const ids = new SafeNames(["index"]);
  const first: Page = {
    id: "index",
    file: "content/index.md",
    pointer: "/description",
    path: "/",
    title: textOf(document.name, document.id),
    summary: "",
    body: document.description,
  };
  const named = (document.tasks ?? []).map(({ id, title }, index) => ({ id, title, pointer: `/tasks/${index}` }));
  const features = Object.entries(document.phases ?? {}).flatMap(([phase, { features: list }]) =>
    list.map((title, index) => ({ id: undefined, title, pointer: `/phases/${pointerPart(phase)}/features/${index}` })),
  );
  const titles = new Set(named.map(({ title }) => title?.toLowerCase()));
  const others = [...named, ...features.filter(({ title }) => !titles.has(title.toLowerCase()))].map(
    ({ id: wanted, title, pointer }) => {
      const id = ids.take(wanted ?? slugOf(title ?? "page"));
      refuse(pointer, `The document has no text for '${title ?? id}': its page says only that it is not written.`);
      // A script that names the file expects it in the root folder.
      const file = scripts.split(/\s+/).includes(`${id}.md`) ? `${id}.md` : `content/${id}.md`;
      return { id, file, pointer, path: `/${id}/`, title: title ?? id, summary: "", body: `${unwritten} (${id})` };
    },
  );
  return [first, ...others];
}

function readNavigation(value: unknown, pages: readonly Page[], refuse: Refuse): Site["navigation"] {
  const known = new Set(pages.map(({ id }) => id));
  const groups = listOf(value).map((entry, index) => {
    const group = typeof entry === "string" ? { pages: [entry] } : fieldsOf(entry);
    const wanted = textsOf(group["pages"]);
    for (const [place, id] of wanted.entries())
      if (!known.has(id)) refuse(`/navigation/${index}/pages/${place}`, `There is no page '${id}'.`);
    return { title: textOf(group["title"], ""), pages: wanted.filter((id) => known.has(id)) };
  });
  const listed = new Set(groups.flatMap((group) => group.pages));
  const left = pages.map(({ id }) => id).filter((id) => !listed.has(id));
  return left.length === 0 ? groups : [...groups, { title: groups.length === 0 ? "" : "More", pages: left }];
}

function safePath(value: unknown): string | undefined {
  const isSafe = typeof value === "string" && /^\/(?:[\w-][\w.-]*\/?)*$/.test(value) && value.length < 200;
  return isSafe ? value : undefined;
}
