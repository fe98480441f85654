import { basename } from "node:path/posix";
import { Refusal } from "../../../platform/errors/index.ts";
import type { Answer, Handlers } from "../../../platform/http/index.ts";
import { isImage, mediaTypeOf } from "./media-type.ts";
import type { RepositoryDeps } from "./project-repository.ts";
import { readContext } from "./read-context.ts";
import { type FileVersions, readFileVersions, showVision } from "./read-vision.ts";
import { requireRun } from "./require-run.ts";

/** Shows what an agent received (context) and the files as it sees them (vision). */
export function inspectionRoutes(deps: RepositoryDeps): Pick<Handlers, "readAgentContext" | "readAgentVision"> {
  return {
    readAgentContext: async (call) => {
      const run = await requireRun(deps.db, call);
      return { status: 200, body: await readContext(deps, run) };
    },
    readAgentVision: async (call) => {
      const { file, as, side = "current" } = call.query;
      const run = await requireRun(deps.db, call);
      const versions = await readFileVersions(deps, run, file);
      const wantsImage = as === "image" || (as === undefined && /\bimage\//.test(call.request.headers.accept ?? ""));
      const image = wantsImage ? showImage(versions, side, file) : undefined;
      if (image !== undefined) return image;
      if (as === "image")
        throw new Refusal("invalid_parameter", `'${file}' is not an image that can be shown (PNG, JPEG, GIF, WebP).`);
      return { status: 200, body: await showVision(deps, run, file, versions) };
    },
  };
}

/** An agent made these bytes, so a browser must neither guess their type nor run them. */
function showImage({ base, current }: FileVersions, side: "base" | "current", path: string): Answer | undefined {
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
