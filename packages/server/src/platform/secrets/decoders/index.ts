import { EscapeDecoder } from "./escape-decoder.ts";
import { HtmlDecoder } from "./html-decoder.ts";
import { UrlDecoder } from "./url-decoder.ts";

export type { CharacterSink, Decoder } from "./decoder.ts";
export { HexDecoder } from "./hex-decoder.ts";
export { namedCharacters } from "./html-decoder.ts";

/** The ways of writing of which any mixture is read, a row a way. */
export const decoders = {
  url: () => new UrlDecoder(),
  html: () => new HtmlDecoder(),
  escaped: () => new EscapeDecoder(),
};
