import { isUtf8 } from "node:buffer";

/** Images that may be passed as images, by how they begin. An SVG is a text: it could hold a program. */
const images: readonly { readonly mediaType: string; readonly isSo: (start: string) => boolean }[] = [
  { mediaType: "image/png", isSo: (start) => start.startsWith("\x89PNG\r\n\x1a\n") },
  { mediaType: "image/jpeg", isSo: (start) => start.startsWith("\xff\xd8\xff") },
  { mediaType: "image/gif", isSo: (start) => /^GIF8[79]a/.test(start) },
  { mediaType: "image/webp", isSo: (start) => start.startsWith("RIFF") && start.slice(8, 12) === "WEBP" },
];

/** What a file is, by its content; its name says nothing that could be relied on. */
export function mediaTypeOf(content: Buffer): string {
  const start = content.toString("latin1", 0, 16);
  const image = images.find(({ isSo }) => isSo(start));
  if (image !== undefined) return image.mediaType;
  return isText(content) ? "text/plain" : "application/octet-stream";
}

export function isImage(mediaType: string): boolean {
  return images.some((image) => image.mediaType === mediaType);
}

export function isText(content: Buffer): boolean {
  return isUtf8(content) && !content.includes(0);
}
