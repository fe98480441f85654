import type { TypeKeys } from "@slipway/spec";

type Given = TypeKeys<"documentation">;

export type GivenPage = Exclude<Extract<NonNullable<Given["content"]>, readonly unknown[]>[number], string>;
export type ApiEntry = Omit<NonNullable<Given["api"]>[number], "versions">;
export type Texts = Required<NonNullable<Given["texts"]>>;

export interface Page {
  readonly id: string;
  /** The file of its text. */
  readonly file: string;
  /** JSON Pointer to it in the document. */
  readonly pointer: string;
  /** Where it is served in each of its editions, below their prefixes. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  readonly body: string;
}

/** A version in a language. */
export interface Edition {
  /** `""` for the first one, which is served at the top; else such as `/1.0/de`. */
  readonly prefix: string;
  readonly version: string | null;
  readonly isCurrent: boolean;
  readonly language: string;
  readonly languageTitle: string;
  readonly notice: string;
  readonly texts: Texts;
  readonly navigation: readonly { readonly title: string; readonly pages: readonly string[] }[];
  readonly pages: readonly Page[];
  /** The entries of the API reference, and the file that holds them. */
  readonly api: { readonly file: string; readonly entries: readonly ApiEntry[] } | null;
}

export interface Site {
  readonly name: string;
  readonly licence: string;
  readonly address: string;
  readonly theme: {
    readonly accent: string;
    readonly font: string;
    readonly hasDarkMode: boolean;
    readonly widthCharacters: number;
    readonly minContrast: number;
  };
  readonly search: { readonly index: string; readonly fields: readonly string[] } | null;
  readonly features: readonly string[];
  readonly externalLinks: boolean;
  readonly notFound: { readonly title: string; readonly body: string };
  readonly redirects: Readonly<Record<string, string>>;
  readonly editions: readonly Edition[];
}

/** Reports what of the document is not honoured. */
export type Refuse = (pointer: string, reason: string) => void;
