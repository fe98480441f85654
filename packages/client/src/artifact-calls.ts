import type { Upload } from "@slipway/contract";
import type { Answer } from "./call-types.ts";
import type { Caller } from "./caller.ts";
import { type ArtifactDownload, type DownloadOptions, downloadArtifact } from "./download-artifact.ts";
import { type UploadOptions, uploadArtifact } from "./upload-artifact.ts";

type Named<T> = Omit<T, "projectId" | "artifact">;

/** What programs do with artifacts most often; `call` has the rest. */
export interface ArtifactCalls {
  list(projectId: string, options?: Pick<DownloadOptions, "signal">): Promise<Answer<"listArtifacts">["artifacts"]>;
  /** Starts to download an artifact, named by its type, path, directory or file name. */
  download(projectId: string, artifact: string, options?: Named<DownloadOptions>): Promise<ArtifactDownload>;
  upload(projectId: string, content: Blob, options: Named<UploadOptions>): Promise<Upload>;
}

/** The calls of artifacts. */
export function artifactCalls(caller: Caller): ArtifactCalls {
  return {
    list: async (project_id, options) =>
      (await caller.call("listArtifacts", { params: { project_id }, ...options })).artifacts,
    download: (projectId, artifact, options) => downloadArtifact(caller, { ...options, projectId, artifact }),
    upload: (projectId, content, options) => uploadArtifact(caller, content, { ...options, projectId }),
  };
}
