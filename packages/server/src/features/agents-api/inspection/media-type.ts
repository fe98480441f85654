import { isUtf8 } from "node:buffer";

/** The images that are served as images, by their first bytes. An SVG counts as text: it could hold a script. */
const images: readonly { readonly mediaType: string; readonly matches: (start: string) => boolean }[] = [
  { mediaType: "image/png", matches: (start) => start.startsWith("\x89PNG\r\n\x1a\n") },
  { mediaType: "image/jpeg", matches: (start) => start.startsWith("\xff\xd8\xff") },
  { mediaType: "image/gif", matches: (start) => /^GIF8[79]a/.test(start) },
  { mediaType: "image/webp", matches: (start) => start.startsWith("RIFF") && start.slice(8, 12) === "WEBP" },
];

/** The media type by the content: an agent may give a file any name. */
export function mediaTypeOf(content: Buffer): string {
  const start = content.toString("latin1", 0, 16);
  const image = images.find(({ matches }) => matches(start));
  if (image !== undefined) return image.mediaType;
  return isText(content) ? "text/plain" : "application/octet-stream";
}

export function isImage(mediaType: string): boolean {
  return images.some((image) => image.mediaType === mediaType);
}

export function isText(content: Buffer): boolean {
  return isUtf8(content) && !content.includes(0);
}
