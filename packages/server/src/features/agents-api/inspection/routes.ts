import { basename } from "node:path/posix";
import { Refusal } from "../../../platform/errors/index.ts";
import type { Answer, Handlers } from "../../../platform/http/index.ts";
import { isImage, mediaTypeOf } from "./media-type.ts";
import type { FileParts } from "./project-repository.ts";
import { readContext } from "./read-context.ts";
import { type SeenFile, seeFile, showSeen } from "./read-vision.ts";
import { requireRun } from "./require-run.ts";

/** What agents were given, and what they see. */
export function shownRoutes(parts: FileParts): Pick<Handlers, "readAgentContext" | "readAgentVision"> {
  return {
    readAgentContext: async (call) => {
      const run = await requireRun(parts.db, call);
      return { status: 200, body: await readContext(parts, run) };
    },
    readAgentVision: async (call) => {
      const { file, as, side = "current" } = call.query;
      const run = await requireRun(parts.db, call);
      const seen = await seeFile(parts, run, file);
      const wantsImage = as === "image" || (as === undefined && /\bimage\//.test(call.request.headers.accept ?? ""));
      const image = wantsImage ? showImage(seen, side, file) : undefined;
      if (image !== undefined) return image;
      if (as === "image")
        throw new Refusal("invalid_parameter", `'${file}' is no image that can be shown (PNG, JPEG, GIF, WebP).`);
      return { status: 200, body: await showSeen(parts, run, file, seen) };
    },
  };
}

/** Bytes that an agent made: a browser must neither guess what they are nor act on them. */
function showImage({ base, current }: SeenFile, side: "base" | "current", path: string): Answer | undefined {
  const content = (side === "base" ? base : (current ?? base))?.content;
  const mediaType = content && mediaTypeOf(content);
  if (mediaType === undefined || !isImage(mediaType)) return undefined;
  return {
    status: 200,
    body: content,
    headers: {
      "content-type": mediaType,
      "content-disposition": `attachment; filename="${basename(path).replace(/[^\w.-]/g, "_")}"`,
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    },
  };
}
