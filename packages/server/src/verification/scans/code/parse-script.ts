import { type ParserOptions, parse } from "@babel/parser";

/**
 * A parser as ESLint takes one: for JavaScript, TypeScript and JSX, tolerant of what a person has not finished. Only some of
 * ESLint's own rules ask for tokens, which take a tenth of the time.
 */
export function tolerantParser({ hasTokens }: { readonly hasTokens: boolean }) {
  const parseForESLint = (text: string, { filePath = "" }: { filePath?: string } = {}) => {
    const file = parseTolerantly(text, filePath, hasTokens);
    const program = file.program as unknown as Record<string, unknown>;
    // Without comments none of them can ask a rule to look away.
    const tokens = tokensOf(text, (file.tokens ?? []) as unknown as BabelToken[]);
    return {
      ast: { ...program, tokens, comments: [], range: [0, text.length], loc: file.loc ?? program["loc"] } as never,
    };
  };
  return { meta: { name: "slipway-parser", version: "1" }, parseForESLint };
}

/** Throws what is wrong with a text that is none of these languages. */
export function parseTolerantly(text: string, path: string, tokens: boolean) {
  const isTypeScript = /\.[cm]?tsx?$/i.test(path);
  const attempts: ParserOptions["plugins"][] = isTypeScript
    ? [["typescript"], ["typescript", "jsx"], ["jsx"]]
    : [["jsx"], ["typescript", "jsx"], ["flow", "jsx"]];
  if (/\.tsx$/i.test(path)) attempts.reverse();
  let failure: unknown;
  for (const plugins of attempts) {
    try {
      return parse(text, {
        sourceType: "unambiguous",
        errorRecovery: true,
        attachComment: false,
        ranges: true,
        tokens,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        allowImportExportEverywhere: true,
        allowUndeclaredExports: true,
        allowNewTargetOutsideFunction: true,
        allowSuperOutsideMethod: true,
        plugins: ["estree", "decorators", ...(plugins ?? [])],
      } as ParserOptions);
    } catch (error) {
      failure ??= error;
    }
  }
  throw failure;
}

/** Whether Node runs a text whose file has no name of its kind: as JavaScript, without a mistake. */
export function runsAsScript(text: string): boolean {
  return [true, false].some((allowAwaitOutsideFunction) => {
    try {
      parse(text, {
        sourceType: "unambiguous",
        attachComment: false,
        allowReturnOutsideFunction: true,
        allowNewTargetOutsideFunction: true,
        allowAwaitOutsideFunction,
      });
      return true;
    } catch (error) {
      // Who nests too deeply for us may not do so for Node.
      if (error instanceof RangeError) throw error;
      return false;
    }
  });
}

interface BabelToken {
  readonly type: string | { readonly label: string };
  readonly start: number;
  readonly end: number;
  readonly loc: unknown;
}

/** Tokens as ESLint's rules know them, as far as they ask for their types. */
function tokensOf(text: string, tokens: readonly BabelToken[]) {
  return tokens.flatMap(({ type, start, end, loc }) => {
    if (typeof type === "string") return [];
    const kind = tokenTypes[type.label] ?? "Punctuator";
    return [{ type: kind, value: text.slice(start, end), start, end, range: [start, end], loc }];
  });
}

const tokenTypes: Readonly<Record<string, string>> = {
  name: "Identifier",
  num: "Numeric",
  bigint: "Numeric",
  string: "String",
  regexp: "RegularExpression",
  template: "Template",
};
