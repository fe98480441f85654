import type { AcceptanceLine } from "@slipway/spec";
import { count } from "../../platform/count.ts";
import { takeTurns } from "../../platform/in-turns.ts";
import { sentence } from "../../platform/sentence.ts";
import type { LineVerdict } from "../verdict.ts";
import type { ProbeAnswer } from "./exchange.ts";
import { attribute, type PageTags, tagsOf } from "./page-tags.ts";
import type { Probe } from "./probe.ts";

const maxAddresses = 500;
const maxLinks = 50_000;
const maxShown = 10;
/** Answers are read up to this size: what is larger is not known. */
const maxKnownChars = 1024 * 1024;

interface Limits {
  readonly broken_max?: number;
  readonly broken_anchors_max?: number;
  readonly to_other_hosts_max?: number;
}

/** What `links`, or the number of `broken_links`, allows; undefined if it says something else. */
function limitsOf({ check }: AcceptanceLine): Limits | undefined {
  if (check.kind !== "named" || check.command !== undefined) return undefined;
  const { name, value } = check;
  if (name === "broken_links" && typeof value === "number") return { broken_max: value, broken_anchors_max: value };
  if (name !== "links") return undefined;
  if (value === true) return { broken_max: 0, broken_anchors_max: 0 };
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value);
  const isKnown = ([key, limit]: [string, unknown]) => limitNames.includes(key) && typeof limit === "number";
  return entries.length > 0 && entries.every(isKnown) ? (value as Limits) : undefined;
}

const limitNames = ["broken_max", "broken_anchors_max", "to_other_hosts_max"];

/** Whether a line asks for links that lead somewhere. */
export function isAboutLinks(line: AcceptanceLine): boolean {
  return limitsOf(line) !== undefined;
}

/** Follows every link of the pages that can be reached from `/`, as somebody who is not logged in. */
export async function checkLinks(probe: Probe, lines: readonly AcceptanceLine[]): Promise<readonly LineVerdict[]> {
  const verdicts: LineVerdict[] = [];
  for (const line of lines.filter(isAboutLinks)) {
    const found = await crawl(probe, line.pointer);
    verdicts.push({ pointer: line.pointer, ...judge(found, limitsOf(line)!) });
  }
  return verdicts;
}

interface Link {
  /** The address of the page that has it. */
  readonly on: string;
  readonly to: string;
}

interface Found {
  readonly pages: number;
  readonly isWhole: boolean;
  readonly broken: readonly (Link & { readonly answered: string })[];
  readonly anchors: readonly Link[];
  readonly elsewhere: readonly Link[];
}

function judge(found: Found, limits: Limits): Omit<LineVerdict, "pointer"> {
  const { pages, isWhole, broken, anchors, elsewhere } = found;
  if (pages === 0) return { verdict: "not_checked", reason: "There is no page at / whose links could be followed." };
  const kinds: readonly { max: number | undefined; what: [string, string]; links: readonly string[] }[] = [
    {
      max: limits.broken_max,
      what: ["link leads nowhere", "links lead nowhere"],
      links: broken.map((one) => `${shown(one)} (${one.answered})`),
    },
    {
      max: limits.broken_anchors_max,
      what: ["link names a place that its page does not have", "links name a place that their page does not have"],
      links: anchors.map(shown),
    },
    {
      max: limits.to_other_hosts_max,
      what: ["link leads to another host", "links lead to other hosts"],
      links: elsewhere.map(shown),
    },
  ];
  const missed = kinds.filter(({ max, links }) => max !== undefined && links.length > max);
  if (missed.length > 0) {
    const texts = missed.map(
      ({ max, what, links }) => `${count(links.length, ...what)}, at most ${max} may: ${listed(links)}`,
    );
    return { verdict: "failed", reason: sentence(`${texts.join(". ")}`) };
  }
  const reason = `${count(pages, "page was", "pages were")} read, and every link there is as asked for.`;
  if (isWhole) return { verdict: "passed", reason };
  return {
    verdict: "not_checked",
    reason: `Not all is followed: there are more than ${maxAddresses} addresses or ${maxLinks} links, or pages too large to read.`,
  };
}

function shown({ on, to }: Link): string {
  return `${to} on ${on}`;
}

function listed(links: readonly string[]): string {
  const more = links.length > maxShown ? ` and ${links.length - maxShown} more` : "";
  return links.slice(0, maxShown).join(", ") + more;
}

const noTags: PageTags = { tags: [], isWhole: true };

async function crawl(probe: Probe, pointer: string): Promise<Found> {
  const { origin } = new URL(probe.software.url);
  const toRead: Link[] = [{ on: "/", to: "/" }];
  const known = new Set(["/"]);
  const ids = new Map<string, ReadonlySet<string> | undefined>();
  const broken: (Link & { readonly answered: string })[] = [];
  const elsewhere: Link[] = [];
  const places: (Link & { readonly path: string; readonly id: string })[] = [];
  const turn = takeTurns(probe.signal);
  // It grows while it is read.
  for (const { on, to } of toRead) {
    const { answer, failure } = await probe.send(pointer, { method: "GET", path: to, headers: {} });
    if (answer === undefined || isBroken(answer))
      broken.push({ on, to, answered: answer === undefined ? (failure ?? "no answer") : String(answer.status) });
    if (answer === undefined) continue;
    const page = isPage(answer) ? tagsOf(answer.text) : noTags;
    const isKnown = page.isWhole && answer.text.length < maxKnownChars;
    // Of a page that is larger than what is read, nobody knows all places.
    if (isPage(answer)) ids.set(to, isKnown ? idsOf(page.tags) : undefined);
    const links = answer.status < 400 ? [...page.tags.flatMap(addressesOf), ...redirectOf(answer)] : [];
    const base = new URL(to, origin).href;
    for (const address of links) {
      await turn();
      const url = URL.parse(address, base);
      if (url === null || !/^https?:$/.test(url.protocol) || places.length + elsewhere.length > maxLinks) continue;
      if (url.origin !== origin) {
        elsewhere.push({ on: to, to: url.href });
        continue;
      }
      const path = url.pathname + url.search;
      // Programs in pages use the rest of what may stand there for themselves.
      const id = /^#[^/!]/.test(url.hash) ? decoded(url.hash.slice(1)) : "";
      if (id !== "" && id !== "top") places.push({ on: to, to: address, path, id });
      if (known.has(path) || known.size > maxAddresses) continue;
      known.add(path);
      toRead.push({ on: to, to: path });
    }
  }
  const anchors = places.filter(({ path, id }) => ids.get(path)?.has(id) === false);
  const isBounded = known.size <= maxAddresses && places.length + elsewhere.length <= maxLinks;
  const isWhole = isBounded && ![...ids.values()].includes(undefined);
  return { pages: ids.size, isWhole, broken, anchors, elsewhere };
}

/** Who must log in first is led somewhere. */
function isBroken({ status }: ProbeAnswer): boolean {
  return status >= 400 && status !== 401 && status !== 403;
}

function isPage({ status, headers }: ProbeAnswer): boolean {
  return status < 300 && /^text\/html\b/i.test(headers["content-type"] ?? "");
}

function redirectOf({ status, headers }: ProbeAnswer): readonly string[] {
  return status >= 300 && headers["location"] !== undefined ? [headers["location"]] : [];
}

/** The addresses that a tag leads to, or shows. */
function addressesOf(tag: string): readonly string[] {
  if (/^<(?:a|area)\s/i.test(tag)) return attribute(tag, "href");
  if (/^<(?:img|script|iframe|source|audio|video)\s/i.test(tag)) return attribute(tag, "src");
  if (!/^<link\s/i.test(tag)) return [];
  // A page may be asked to connect somewhere before it loads anything.
  return /\b(?:preconnect|dns-prefetch)\b/i.test(attribute(tag, "rel")[0] ?? "") ? [] : attribute(tag, "href");
}

function idsOf(tags: readonly string[]): ReadonlySet<string> {
  return new Set(tags.flatMap((tag) => [...attribute(tag, "id"), ...attribute(tag, "name")]));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
