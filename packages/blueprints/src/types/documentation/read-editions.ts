import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import type { ApiEntry, Edition, Page, Refuse, Texts } from "./model.ts";
import { readNavigation } from "./read-navigation.ts";
import { type FoundPage, readPages } from "./read-pages.ts";
import { defaultTexts } from "./texts.ts";

type Document = DocumentToBuild<"documentation">;

/** Where the pages of a version in a language will be. */
export interface Place {
  readonly prefix: string;
  readonly version: string | null;
  readonly isCurrent: boolean;
  readonly language: string;
}

export interface ReadEditions {
  readonly editions: readonly Edition[];
  /** Old paths of pages, and where they are now, with where the document says so. */
  readonly moved: readonly { readonly from: string; readonly to: string; readonly pointer: string }[];
}

/** Reads versions, languages and pages into what is served: each version in each language that has pages. */
export function readEditions(document: Document, searchIndex: string | undefined, refuse: Refuse): ReadEditions {
  const versions = versionsOf(document, refuse);
  const languages = languagesOf(document, refuse);
  const places = versions.flatMap(({ name, isCurrent }) =>
    languages.map(({ code }, index) => ({
      prefix: `${isCurrent || name === null ? "" : `/${name}`}${index === 0 ? "" : `/${code}`}`,
      version: name,
      isCurrent,
      language: code,
    })),
  );
  const found = readPages(document, places, searchIndex, refuse);
  const entries = readApi(
    document,
    versions.map(({ name }) => name),
    refuse,
  );
  const editions = places.flatMap((place): Edition[] => {
    const { title, texts } = languages.find(({ code }) => code === place.language)!;
    const version = versions.find(({ name }) => name === place.version)!;
    const own = found.filter(({ places: at }) => at.includes(place));
    if (own.length === 0) return [];
    const api = apiOf(place, entries);
    const pages = withApiPage(place, own, api, texts);
    return [
      {
        ...place,
        languageTitle: title,
        notice: version.notice ?? (place.isCurrent ? "" : texts.old_version),
        texts,
        navigation: readNavigation(document, place.language, pages, texts),
        pages,
        api,
      },
    ];
  });
  refuseEmpty(document, versions, languages, editions, refuse);
  refuseUnknownInNavigation(document, editions, refuse);
  const moved = found.flatMap((page) => movedTo(page));
  return { editions, moved };
}

interface Version {
  readonly name: string | null;
  readonly isCurrent: boolean;
  readonly notice: string | undefined;
}

function versionsOf({ versions = [] }: Document, refuse: Refuse): readonly Version[] {
  if (versions.length === 0) return [{ name: null, isCurrent: true, notice: undefined }];
  const named = versions.map(({ name, notice, current = false }, index) => ({
    name,
    notice,
    isMarked: current,
    index,
  }));
  const unique = named.filter(({ name }, index) => {
    const isFirst = named.findIndex((other) => other.name.toLowerCase() === name.toLowerCase()) === index;
    if (!isFirst) refuse(`/versions/${index}`, `There are two versions '${name}'.`);
    return isFirst;
  });
  const current = unique.find(({ isMarked }) => isMarked) ?? unique[0]!;
  const read = unique.map((version) => {
    const { name, notice, isMarked, index } = version;
    if (isMarked && version !== current) refuse(`/versions/${index}/current`, "Another version is the current one.");
    return { name, isCurrent: version === current, notice };
  });
  // The current one is at the top of the site, and the first in lists of pages; the others keep their order.
  return [...read.filter(({ isCurrent }) => isCurrent), ...read.filter(({ isCurrent }) => !isCurrent)];
}

interface Language {
  readonly code: string;
  readonly title: string;
  readonly texts: Texts;
}

function languagesOf({ site = {}, languages = [], texts }: Document, refuse: Refuse): readonly Language[] {
  const own = site.language ?? "en";
  const codes = new Set<string>();
  const others = languages.flatMap(({ code, title = code, texts: words }, index) => {
    const isRepeated = codes.has(code.toLowerCase());
    codes.add(code.toLowerCase());
    if (isRepeated) refuse(`/languages/${index}`, `The language '${code}' is there twice.`);
    return isRepeated ? [] : [{ code, title, texts: { ...defaultTexts, ...defined(words) } }];
  });
  const first = others.find(({ code }) => code === own);
  const main = {
    code: own,
    title: first?.title ?? own,
    texts: { ...(first?.texts ?? defaultTexts), ...defined(texts) },
  };
  return [main, ...others.filter((other) => other !== first)];
}

/** A plain copy, so that every word counts as read. */
function defined(texts: Document["texts"] = {}): Partial<Texts> {
  return Object.fromEntries(
    Object.keys(defaultTexts).flatMap((key) => {
      const text = texts[key as keyof Texts];
      return text === undefined ? [] : [[key, text]];
    }),
  );
}

interface VersionedEntry {
  readonly entry: ApiEntry;
  /** Undefined for all. */
  readonly versions: readonly string[] | undefined;
}

function readApi({ api = [] }: Document, known: readonly (string | null)[], refuse: Refuse): readonly VersionedEntry[] {
  return api.flatMap((given, index) => {
    const { versions } = given;
    const entry = entryOf(given);
    if (entry.name === undefined && entry.path === undefined && entry.signature === undefined) {
      refuse(`/api/${index}`, "An entry needs a 'name', a 'path' or a 'signature'.");
      return [];
    }
    for (const [at, version] of (versions ?? []).entries())
      if (!known.includes(version)) refuse(`/api/${index}/versions/${at}`, `There is no version '${version}'.`);
    return [{ entry, versions: versions && [...versions] }];
  });
}

/** The known keys alone: others are not used, and must count as unread. */
function entryOf(given: ApiEntry): ApiEntry {
  const { name, method, path, signature, description, returns, example, example_language, since, deprecated } = given;
  const plain = { name, method, path, signature, description, returns, example, example_language, since, deprecated };
  const parameters = given.parameters?.map(({ name: parameter, type, required, default: fallback, description: use }) =>
    withoutUndefined({ name: parameter, type, required, default: fallback, description: use }),
  );
  const errors = given.errors?.map(({ code, description: when }) => withoutUndefined({ code, description: when }));
  return withoutUndefined({ ...plain, parameters, errors });
}

function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}

function apiOf({ version, isCurrent }: Place, entries: readonly VersionedEntry[]): Edition["api"] {
  const own = entries.filter(
    ({ versions }) => version === null || versions === undefined || versions.includes(version),
  );
  if (own.length === 0) return null;
  const folder = isCurrent || version === null ? "content" : `content/${version}`;
  return { file: `${folder}/api.json`, entries: own.map(({ entry }) => entry) };
}

/** The pages, with one for the API reference where the document has none. */
function withApiPage(
  { language, prefix }: Place,
  pages: readonly Page[],
  api: Edition["api"],
  { api: title }: Texts,
): readonly Page[] {
  if (api === null || pages.some(({ id }) => id === "api")) return pages;
  const path =
    ["/api/", "/api-reference/"].find((one) => !pages.some((page) => page.path === one)) ?? "/reference/api/";
  const file = `content/${prefix.endsWith(`/${language}`) ? `${language}/` : ""}api.md`;
  return [...pages, { id: "api", file, pointer: "/api", path, title, summary: "", body: "" }];
}

function refuseEmpty(
  { versions: given = [], languages: named = [] }: Document,
  versions: readonly Version[],
  languages: readonly Language[],
  editions: readonly Edition[],
  refuse: Refuse,
): void {
  for (const { name } of versions)
    if (name !== null && !editions.some(({ version }) => version === name))
      refuse(`/versions/${given.findIndex((one) => one.name === name)}`, `No page is in the version '${name}'.`);
  for (const { code } of languages.slice(1))
    if (!editions.some(({ language }) => language === code))
      refuse(`/languages/${named.findIndex((one) => one.code === code)}`, `No page is in the language '${code}'.`);
}

function refuseUnknownInNavigation({ navigation = [] }: Document, editions: readonly Edition[], refuse: Refuse): void {
  const known = new Set(editions.flatMap(({ pages }) => pages.map(({ id }) => id)));
  for (const [index, group] of navigation.entries()) {
    if (typeof group === "string" && !known.has(group)) refuse(`/navigation/${index}`, `There is no page '${group}'.`);
    if (typeof group === "string") continue;
    for (const [at, id] of (group.pages ?? []).entries())
      if (!known.has(id)) refuse(`/navigation/${index}/pages/${at}`, `There is no page '${id}'.`);
  }
}

function movedTo({ places, path, pointer, redirectFrom }: FoundPage) {
  return redirectFrom.map((from, index) => ({
    from,
    to: `${places[0]!.prefix}${path}`,
    pointer: `${pointer}/redirect_from/${index}`,
  }));
}
