import { createLinter } from "./code/scan-script.ts";
import type { LintProblem } from "./finding.ts";

/** ESLint's recommended rules that need to know nothing about the project, such as its globals. */
const rules =
  "constructor-super for-direction getter-return no-async-promise-executor no-case-declarations no-class-assign no-compare-neg-zero no-cond-assign no-const-assign no-constant-binary-expression no-debugger no-delete-var no-dupe-args no-dupe-class-members no-dupe-else-if no-dupe-keys no-duplicate-case no-empty-character-class no-empty-pattern no-ex-assign no-func-assign no-global-assign no-import-assign no-invalid-regexp no-loss-of-precision no-misleading-character-class no-new-native-nonconstructor no-obj-calls no-octal no-prototype-builtins no-self-assign no-setter-return no-shadow-restricted-names no-sparse-arrays no-this-before-super no-unreachable no-unsafe-finally no-unsafe-negation no-unsafe-optional-chaining no-unused-labels no-unused-private-class-members no-useless-backreference no-useless-catch no-with require-yield use-isnan valid-typeof".split(
    " ",
  );
/** Types use names, too, which the rule would not see. */
const scriptRules = [
  ...rules,
  "no-unused-vars",
  "no-redeclare",
  "no-empty",
  "no-unexpected-multiline",
  "no-fallthrough",
  "no-undef-init",
];

const verify = createLinter();

/** What the linter complains about, by our own configuration. */
export function lintScript(path: string, text: string): Omit<LintProblem, "path">[] {
  const isTyped = /\.[cm]?tsx?$/i.test(path);
  const chosen = isTyped ? rules : scriptRules;
  return verify(path, text, chosen, { isTyped }).map(({ ruleId, line, message }) => ({
    ruleId: ruleId ?? "syntax",
    line,
    message: message.slice(0, 300),
  }));
}
