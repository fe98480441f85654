export { type Answer, type CallOptions, type Client, type ClientOptions, createClient } from "./client.ts";
export { type ArtifactDownload, type DownloadOptions, downloadArtifact } from "./download-artifact.ts";
export { ConnectionError, SlipwayError, UnsendableError } from "./errors.ts";
export { followToEnd, hasEnded, waitForEnd } from "./follow-to-end.ts";
export { listAll } from "./list-all.ts";
export { type UploadOptions, uploadArtifact } from "./upload-artifact.ts";
export { watchEvents } from "./watch-events.ts";
export { watchLogs } from "./watch-logs.ts";
export { watchProject } from "./watch-project.ts";
