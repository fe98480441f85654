import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { isDocumentKey, parseSpec, vocabularyOf, writeYaml } from "../src/index.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const pages = globSync(["README.md", "docs/**/*.md", "examples/**/*.md", "packages/*/README.md"], {
  cwd: root,
  exclude: (name) => name.includes("node_modules"),
});

interface Snippet {
  readonly place: string;
  readonly text: string;
  /** The type that the page is about. */
  readonly type: string;
}

const snippets = pages.toSorted().flatMap((page): Snippet[] => {
  const content = readFileSync(`${root}${page}`, "utf8");
  const named = basename(page, ".md");
  return [...content.matchAll(/^```ya?ml\n(?<text>.*?)^```/gms)].map((found) => ({
    place: `${page}:${content.slice(0, found.index).split("\n").length}`,
    text: found.groups!["text"]!,
    type: vocabularyOf(named) === undefined ? "api" : named,
  }));
});

const keysOf = ({ text }: Snippet) => Object.keys((parse(text) ?? {}) as object);
const isOfDocument = (snippet: Snippet) =>
  !snippet.text.startsWith("# slipway.yaml") &&
  keysOf(snippet).length > 0 &&
  keysOf(snippet).every(
    (key) => isDocumentKey(key) || Object.hasOwn(vocabularyOf(snippet.type)?.properties ?? {}, key),
  );

/** A whole document as it is; a part in the smallest document that may have it. */
function wholeOf({ text, type }: Snippet): string {
  if (text.includes("spec_version:")) return text;
  const written = parse(text) as Record<string, unknown>;
  const { properties = {}, required = [] } = vocabularyOf(written["outcome_type"] ?? type) ?? {};
  const head = {
    ...{ spec_version: "1.0.0", id: "a", name: "A", description: "A.", outcome_type: type, acceptance: {}, stack: {} },
    ...Object.fromEntries(required.map((key) => [key, properties[key]?.examples?.[0]])),
  };
  const missing = Object.entries(head).filter(([key]) => !Object.hasOwn(written, key));
  return `${text}\n${writeYaml(Object.fromEntries(missing))}`;
}

describe("the YAML in the documentation", () => {
  test("is found", () => {
    expect(snippets.filter(isOfDocument).length).toBeGreaterThan(10);
  });

  test("is valid where it is a document or a part of one", () => {
    const wrong = snippets.filter(isOfDocument).flatMap((snippet) => {
      const outcomeTypes = snippet.place.startsWith("docs/reference/plugins.md") ? ["platform"] : [];
      const { diagnostics } = parseSpec(wholeOf(snippet), { outcomeTypes });
      return diagnostics.map(({ line, code, message }) => `${snippet.place} + ${line}: ${code} ${message}`);
    });
    expect(wrong).toEqual([]);
  });

  test("is else a part of the service's settings", () => {
    const settings = ["agents", "plugins", "secret_providers", "kubernetes", "ssh", "jira", "artifact_store"];
    settings.push("oauth", "public_url", "federation", "tls_certificate", "tls_key");
    // Files of build services have keys of their own.
    const isOfBuildService = ({ text }: Snippet) => /^(?:- uses: |slipway:\n {2}image: )/.test(text);
    const others = snippets.filter((snippet) => !isOfDocument(snippet) && !isOfBuildService(snippet));
    const unknown = others.flatMap((snippet) =>
      keysOf(snippet)
        .filter((key) => !settings.includes(key) && !key.startsWith("s3_"))
        .map((key) => `${snippet.place}: ${key}`),
    );
    expect(unknown).toEqual([]);
  });
});
