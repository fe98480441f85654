import { Linter } from "eslint";
// @ts-expect-error: it has no types.
import noUnsanitized from "eslint-plugin-no-unsanitized";
import type { Severity, Spotted } from "../finding.ts";
import type { Spot } from "./built-text.ts";
import { findInsecure } from "./insecure.ts";
import { tolerantParser } from "./parse-script.ts";
import { findFlows } from "./sinks.ts";
import { TaintFinder } from "./taint.ts";
import type { Node, Scope } from "./tree.ts";

/** Rules of others that say something in code which no rule of ours covers, and say it seldom in vain. */
const othersRules: Readonly<
  Record<string, { readonly severity: Severity; readonly message: string; readonly remedy: string }>
> = {
  "no-unsanitized/method": {
    severity: "medium",
    message: "HTML that is made at run time goes into the page as it is.",
    remedy: "Use textContent, or sanitize it.",
  },
  "no-unsanitized/property": {
    severity: "medium",
    message: "HTML that is made at run time goes into the page as it is.",
    remedy: "Use textContent, or sanitize it.",
  },
};

/** ESLint takes no pattern for all files. */
const scriptNames = ["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx"].map((extension) => `**/*.${extension}`);

/** What a function of the program returns is its view, and escapes for itself; modules are no HTML. */
const isOfView = /(?:=|\()\s*(?:await\s+)?[\w.]+\([^\n]*$|\bimport\(/;

const linter = new Linter({ configType: "flat" });
let spots: Spot[] = [];

const own = {
  rules: {
    own: {
      create({ sourceCode }: { readonly sourceCode: { getScope(node: unknown): unknown } }) {
        const scopeOf = (node: Node) => sourceCode.getScope(node) as Scope;
        const deps = { taint: new TaintFinder(scopeOf), scopeOf };
        const look = (node: Node) => {
          spots.push(...findFlows(deps, node), ...findInsecure(deps, node));
        };
        return Object.fromEntries(visited.map((type) => [type, look]));
      },
    },
  },
};
const visited =
  "CallExpression NewExpression Literal AssignmentExpression ImportExpression JSXAttribute Property BinaryExpression FunctionDeclaration FunctionExpression ArrowFunctionExpression".split(
    " ",
  );

const config = {
  files: scriptNames,
  languageOptions: { parser: tolerantParser({ hasTokens: false }) },
  plugins: { slipway: own, "no-unsanitized": noUnsanitized },
  rules: { "slipway/own": "error", ...Object.fromEntries(Object.keys(othersRules).map((name) => [name, "error"])) },
  // Whoever writes the code must not decide which rules it is read by.
  linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: "off" },
};

/** Why a script could not be read, or what is dangerous in it. */
export type ScriptScan = { readonly error: string } | { readonly spotted: readonly Spotted[] };

/** Dangerous code in JavaScript or TypeScript; the project's own configuration and comments change nothing. */
export function scanScript(path: string, text: string): ScriptScan {
  spots = [];
  const filename = /\.[cm]?[jt]sx?$/i.exec(path)?.[0].toLowerCase() ?? ".js";
  const messages = linter.verify(text, [config as never], { filename: `file${filename}`, allowInlineConfig: false });
  const fatal = messages.find((one) => one.fatal);
  if (fatal !== undefined) return { error: fatal.message.split("\n")[0]!.slice(0, 200) };
  const ours = spots.map(({ node, ...rest }) => ({ ...rest, line: node.loc.start.line, scanner: "code" as const }));
  const lines = text.split("\n");
  const covered = new Set(ours.map(({ line }) => line));
  const others = messages.flatMap(({ ruleId, line }): Spotted[] => {
    const rule = othersRules[ruleId ?? ""];
    return rule === undefined || covered.has(line) || isOfView.test(lines[line - 1] ?? "")
      ? []
      : [{ ...rule, ruleId: `code/${ruleId!.split("/").at(-1)}`, line, scanner: "code" }];
  });
  return { spotted: onePerLine([...ours, ...others]) };
}

/** A name that begins so says that nobody uses it. */
const underscored = {
  argsIgnorePattern: "^_",
  varsIgnorePattern: "^_",
  caughtErrors: "none",
  ignoreRestSiblings: true,
};

/** A linter for one of ESLint's own rule sets; comments in the file change nothing. */
export function createLinter() {
  const plain = new Linter({ configType: "flat" });
  const parser = tolerantParser({ hasTokens: true });
  return (path: string, text: string, rules: readonly string[], { isTyped }: { readonly isTyped: boolean }) => {
    const sourceType =
      /\.cjs$/i.test(path) ||
      (!/^[^\S\r\n\u2028\u2029]*(?:import|export)\b/m.test(text) && /\brequire\(|module\.exports/.test(text))
        ? "commonjs"
        : "module";
    const entry = {
      files: scriptNames,
      languageOptions: isTyped ? { parser } : { sourceType, parserOptions: { ecmaFeatures: { jsx: true } } },
      linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: "off" },
      rules: Object.fromEntries(
        rules.map((name) => [name, name === "no-unused-vars" ? ["error", underscored] : "error"]),
      ),
    };
    return plain.verify(text, [entry as never], {
      filename: isTyped ? "file.ts" : "file.js",
      allowInlineConfig: false,
    });
  };
}

/** One sentence a rule and line: `a + b + c` is one concatenation, however the tree nests it. */
function onePerLine(all: readonly Spotted[]): Spotted[] {
  const seen = new Set<string>();
  return all.filter(({ ruleId, line }) => {
    const key = `${ruleId} ${line}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
