import type { AcceptanceLine } from "@slipway/spec";
import { count } from "../../platform/count.ts";
import type { LineVerdict } from "../verdict.ts";
import { attribute, tagsOf } from "./page-tags.ts";
import type { Probe } from "./probe.ts";

const maxFiles = 200;
/** Answers are read up to this size: what is larger is not known. */
const maxKnownBytes = 1024 * 1024;
const maxScriptChars = 256 * 1024;

/** Whether a line limits what a page weighs when it is loaded first. */
export function isAboutFirstLoad({ check }: AcceptanceLine): boolean {
  return check.kind === "named" && check.name === "first_load_max_kb" && typeof check.value === "number";
}

/** Weighs the page at `/` with the scripts and styles of the same host that it needs, uncompressed. */
export async function checkFirstLoad(probe: Probe, lines: readonly AcceptanceLine[]): Promise<readonly LineVerdict[]> {
  const verdicts: LineVerdict[] = [];
  for (const { pointer, check } of lines.filter(isAboutFirstLoad)) {
    const maxKb = (check as { value: unknown }).value as number;
    verdicts.push({ pointer, ...(await weigh(probe, pointer, maxKb)) });
  }
  return verdicts;
}

async function weigh(probe: Probe, pointer: string, maxKb: number): Promise<Omit<LineVerdict, "pointer">> {
  const { origin } = new URL(probe.software.url);
  const toLoad = ["/"];
  const known = new Set(toLoad);
  let bytes = 0;
  let isWhole = true;
  for (let index = 0; index < toLoad.length; index += 1) {
    const path = toLoad[index]!;
    if (index === maxFiles)
      return { verdict: "not_checked", reason: `The page needs more than ${maxFiles} files, which are not followed.` };
    const { answer, failure } = await probe.send(pointer, { method: "GET", path, headers: {} });
    if (answer === undefined || answer.status >= 300) {
      const what = answer === undefined ? `: ${failure}` : ` answered ${answer.status}`;
      return { verdict: "failed", reason: `GET ${path}${index === 0 ? "" : ", which the page needs,"}${what}.` };
    }
    const own = Buffer.byteLength(answer.text);
    bytes += own;
    const found = index === 0 ? linksOf(answer.text) : importsOf(answer.text);
    if (own >= maxKnownBytes || !found.isWhole) isWhole = false;
    for (const link of found.links) {
      const url = URL.parse(link, new URL(path, origin));
      if (url === null || url.origin !== origin) continue;
      const next = url.pathname + url.search;
      if (known.has(next) || toLoad.length > maxFiles) continue;
      known.add(next);
      toLoad.push(next);
    }
  }
  const kb = Math.round((bytes / 1024) * 100) / 100;
  const shown = `The first load of / is ${isWhole ? "" : "at least "}${kb} KB in ${count(toLoad.length, "file")}`;
  const reason = `${shown}, asked for at most ${maxKb} KB.`;
  const measured = [{ name: "first_load", value: bytes, unit: "bytes" }] as const;
  if (bytes > maxKb * 1024) return { verdict: "failed", reason, measured };
  return isWhole ? { verdict: "passed", reason, measured } : { verdict: "not_checked", reason };
}

interface Links {
  readonly links: readonly string[];
  /** False if there is more than is read. */
  readonly isWhole: boolean;
}

/** The scripts and styles that a page names. */
function linksOf(page: string): Links {
  const { tags, isWhole } = tagsOf(page);
  const links = tags.flatMap((tag) => {
    if (/^<script\s/i.test(tag)) return attribute(tag, "src");
    const [rel = ""] = /^<link\s/i.test(tag) ? attribute(tag, "rel") : [];
    return /\b(?:stylesheet|modulepreload)\b/i.test(rel) ? attribute(tag, "href") : [];
  });
  return { links, isWhole };
}

/** An import that is longer than what is read of it. */
const longImport =
  /\b(?:import|export)\b[\w*{}\s,$]{301}|(?:\bfrom\b|\bimport\b|@import)(?:\s{10}|\s{0,9}(?:url\()?["'][^"'\n]{501})/;

/** The files that a script or a style imports by relative addresses. */
export function importsOf(text: string): Links {
  const imports =
    /(?:\b(?:import|export)\b(?:[\w*{}\s,$]{0,300}?\bfrom\b)?\s{0,9}|@import\s{1,9}(?:url\()?)["']([^"'\n]{1,500})["']/g;
  const found = text.slice(0, maxScriptChars).matchAll(imports);
  const links = [...found].map(([, specifier = ""]) => specifier).filter((specifier) => /^\.{0,2}\//.test(specifier));
  return { links, isWhole: text.length <= maxScriptChars && !longImport.test(text) };
}
