import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { parseSpec } from "../src/index.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The YAML library and the vocabularies of the outcome types are most of it. */
const maxGzipBytes = 112_000;

const valid = readFileSync(`${root}/examples/phases-and-environments.yaml`, "utf8");
const broken = `spec_version: 1.0
id: ""
outcome_type: apy
acceptance:
  tests:
    - file: ../tests
phases:
  build: { depends_on: [ship] }
  ship: { depends_on: [build] }
guardrails: { min_test_coverage: 85, security_scan: maybe }
stack: [
`;
const notUtf8 = Uint8Array.from([...new TextEncoder().encode("name: caf"), 0xe9, 0x0a]);

describe("the parser in a browser", () => {
  let code: string;
  beforeAll(async () => {
    code = await bundle('export * from "@slipway/spec";');
  });

  test.for<[string, string | Uint8Array]>([
    ["a valid document", valid],
    ["a broken text", broken],
    ["a document that is wrong in what it says", broken.replace("stack: [", "stack: {}")],
    ["bytes that are no UTF-8", notUtf8],
    ["a text that is too large", " ".repeat(1_100_000)],
  ])("reads %s as it does elsewhere", ([, source]) => {
    expect(parseInBrowser(code, source)).toEqual(JSON.parse(JSON.stringify(parseSpec(source))));
  });

  test("gives the document, or says what is wrong with it", () => {
    expect(parseInBrowser(code, valid).document).toBeDefined();
    expect(parseInBrowser(code, broken).document).toBeUndefined();
    expect(parseInBrowser(code, broken).diagnostics.length).toBeGreaterThan(1);
  });

  test("has nothing of Node around it", () => {
    const names = ["process", "Buffer", "require", "module", "global", "setImmediate", "fetch"];
    expect(runInContext(`[${names.map((name) => `typeof ${name}`)}].join()`, browser(code))).toBe(
      names.map(() => "undefined").join(),
    );
  });

  test("stays small enough to be loaded with a page", () => {
    expect(gzipSync(code).byteLength).toBeLessThan(maxGzipBytes);
  });
});

test.for(["node:fs", "fs", "node:buffer", "process"])("a bundle that imports %s is refused", async (name) => {
  await expect(bundle(`import "${name}";`)).rejects.toThrow(`Could not resolve "${name}"`);
});

/** The code as a browser gets it. Fails on what only Node has. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "slipwaySpec",
    minify: true,
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}

/** What the language has, what every browser adds that the parser needs, and no code made from text at run time. */
function browser(code: string): object {
  const context = createContext(
    { TextDecoder, TextEncoder, URLSearchParams },
    { codeGeneration: { strings: false, wasm: false } },
  );
  runInContext(code, context);
  return context;
}

function parseInBrowser(code: string, source: string | Uint8Array): ReturnType<typeof parseSpec> {
  const context = Object.assign(browser(code), { source });
  return JSON.parse(runInContext("JSON.stringify(slipwaySpec.parseSpec(source))", context));
}
