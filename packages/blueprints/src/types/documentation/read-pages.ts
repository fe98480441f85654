import { slugOf } from "@slipway/spec";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import { titleOf } from "../../kit/title.ts";
import type { GivenPage, Page, Refuse } from "./model.ts";
import type { Place } from "./read-editions.ts";

type Document = DocumentToBuild<"documentation">;

/** A page, the editions that have it, and where it was before. */
export interface FoundPage extends Page {
  readonly places: readonly Place[];
  readonly redirectFrom: readonly string[];
}

/** Reads the pages from `content` or `pages`; without either there is one for each task. */
export function readPages(
  document: Document,
  places: readonly Place[],
  searchIndex: string | undefined,
  refuse: Refuse,
): readonly FoundPage[] {
  const given = givenPages(document);
  if (given.length === 0) return unwrittenPages(document, places, refuse);
  const taken = new Set([...places.map(({ prefix }) => prefix + searchIndex), "/404.html", "/sitemap.xml", "/health"]);
  const ids = new Map<Place, SafeNames>(places.map((place) => [place, new SafeNames()]));
  const files = new SafeFiles();
  const paths = pathsById(given);
  const found = given.flatMap(({ page, pointer, id: key }, index) => {
    const at = placesOf(page, pointer, places, refuse);
    if (at.length === 0) {
      refuse(pointer, "It is in no version and language that the site has, so it is left out.");
      return [];
    }
    const title = page.title ?? page.id ?? key ?? `Page ${index + 1}`;
    const wantedId = page.id ?? key ?? slugOf(title);
    const id = idOf(wantedId, at, ids);
    if (page.id !== undefined && id !== page.id && id.startsWith(`${page.id}-`))
      refuse(`${pointer}/id`, `Another page has this id: this one is called '${id}'.`);
    // A page in another language or version is where its original is, so that links between pages fit in all of them.
    const wanted = page.path ?? paths.get(id) ?? (index === 0 || id === "index" ? "/" : `/${id}/`);
    const isFree = (path: string) =>
      at.every(({ prefix }) => !taken.has(prefix + path)) && !path.startsWith("/assets/");
    const path = [wanted, `/${id}/`, `/${id}-${index}/`].find(isFree)!;
    for (const { prefix } of at) taken.add(prefix + path);
    if (!paths.has(id)) paths.set(id, path);
    if (page.path !== undefined && path !== page.path) refuse(`${pointer}/path`, `The page is at ${path}.`);
    const body = bodyOf(page);
    if (body === undefined) refuse(pointer, `There is no text for ${title}: the page says only that.`);
    return [
      {
        id,
        file: files.take(folderOf(at[0]!), id),
        pointer,
        path,
        title,
        summary: (page.summary ?? "").trim(),
        body: body ?? unwritten,
        places: at,
        redirectFrom: [...(page.redirect_from ?? [])],
      },
    ];
  });
  if (found.some((page) => page.places.includes(places[0]!))) return found;
  const reason =
    "No page is in the current version and in the site's own language: its start has the description alone.";
  refuse(document.content === undefined ? "/pages" : "/content", reason);
  return [{ ...descriptionPage(document), file: files.take("content", "index"), places: [places[0]!] }, ...found];
}

/** The path that a page has in any language or version, for those that name none. */
function pathsById(given: readonly Given[]): Map<string, string> {
  const paths = new Map<string, string>();
  for (const { page, id: key } of given) {
    const id = page.id ?? key;
    if (id !== undefined && page.path !== undefined && !paths.has(id)) paths.set(id, page.path);
  }
  return paths;
}

interface Given {
  readonly page: GivenPage;
  readonly pointer: string;
  /** The key of a map of pages. */
  readonly id?: string;
}

/** `content` counts; `pages` is another word for it. */
function givenPages(document: Document): readonly Given[] {
  const key = document.content === undefined ? "pages" : "content";
  const value = document[key];
  if (value === undefined) return [];
  if (Array.isArray(value))
    return (value as readonly GivenPage[]).map((page, index) => ({ page, pointer: `/${key}/${index}` }));
  return Object.entries(value as Readonly<Record<string, GivenPage | string>>).map(([id, page]) => ({
    page: typeof page === "string" ? { body: page } : page,
    pointer: `/${key}/${pointerPart(id)}`,
    id,
  }));
}

/** The editions that a page is in. */
function placesOf({ versions, language }: GivenPage, pointer: string, places: readonly Place[], refuse: Refuse) {
  const own = places[0]!.language;
  if (language !== undefined && !places.some((place) => place.language === language))
    refuse(`${pointer}/language`, `'${language}' is not among the languages of the site: name it in 'languages'.`);
  for (const [index, version] of (versions ?? []).entries())
    if (!places.some((place) => place.version === version))
      refuse(`${pointer}/versions/${index}`, `There is no version '${version}': name it in 'versions'.`);
  return places.filter((place) => {
    const isVersion = versions === undefined || (place.version !== null && versions.includes(place.version));
    return isVersion && place.language === (language ?? own);
  });
}

/** An id that no other page of the same editions has. */
function idOf(wanted: string, at: readonly Place[], ids: ReadonlyMap<Place, SafeNames>): string {
  const [first, ...others] = at.map((place) => ids.get(place)!);
  const id = first!.take(wanted);
  for (const names of others) names.take(id);
  return id;
}

/** The folder of an edition's own texts. */
function folderOf({ isCurrent, version, prefix, language }: Place): string {
  const parts = [
    ...(isCurrent || version === null ? [] : [version]),
    ...(prefix.endsWith(`/${language}`) ? [language] : []),
  ];
  return ["content", ...parts].join("/");
}

/** Hands out files, each only once. */
class SafeFiles {
  readonly #taken = new Set<string>(["content/api.json"]);

  take(folder: string, id: string): string {
    let file = `${folder}/${id}.md`;
    for (let number = 2; this.#taken.has(file.toLowerCase()); number += 1) file = `${folder}/${id}-${number}.md`;
    this.#taken.add(file.toLowerCase());
    return file;
  }
}

/** The text of a page with its sections; undefined if there is none. */
function bodyOf({ body, sections }: GivenPage): string | undefined {
  const parts = (sections ?? []).map(({ title = "", body: text = "" }) =>
    title === "" ? text : `## ${title.replace(/\s+/g, " ")}\n\n${text}`,
  );
  const whole = [...(body === undefined ? [] : [body]), ...parts].map((part) => part.trim());
  return whole.length === 0 ? undefined : whole.join("\n\n");
}

const unwritten = "This page has not been written yet.";

/** Without any text in the document: a page for each of its tasks that says it is not written yet. */
function unwrittenPages(document: Document, places: readonly Place[], refuse: Refuse): readonly FoundPage[] {
  const { scripts = {} } = document;
  const commands = Object.values(scripts as Readonly<Record<string, unknown>>).join(" ");
  const ids = new SafeNames(["index"]);
  const common = {
    summary: "",
    places: places.filter(({ language }) => language === places[0]!.language),
    redirectFrom: [],
  };
  const first = { ...descriptionPage(document), places: common.places };
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
      const file = commands.split(/\s+/).includes(`${id}.md`) ? `${id}.md` : `content/${id}.md`;
      return { id, file, pointer, path: `/${id}/`, title: title ?? id, body: `${unwritten} (${id})`, ...common };
    },
  );
  return [first, ...others];
}

/** A start of the site that says what the document says of itself. */
function descriptionPage(document: Document): Omit<FoundPage, "places"> {
  return {
    id: "index",
    file: "content/index.md",
    pointer: "/description",
    path: "/",
    title: titleOf(document),
    summary: "",
    body: document.description,
    redirectFrom: [],
  };
}
