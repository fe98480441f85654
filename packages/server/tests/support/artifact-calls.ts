import { createProject, type TestApp, unbuildableDocument } from "./test-app.ts";

interface ArtifactCall {
  /** What stands in the path: the project's id, or the upload's. */
  readonly param: string;
  readonly projectId?: string;
  readonly headers?: Record<string, string>;
  readonly payload?: object | string;
}

const bytes = { "content-type": "application/octet-stream" };

/** How each endpoint for artifacts is called so that it succeeds, by the bearer of the token. */
export function artifactCalls(app: TestApp, token?: string): Readonly<Record<string, () => Promise<ArtifactCall>>> {
  const { call } = app;
  const as = token === undefined ? {} : { token };
  const withFile = async () => {
    const param = await createProject(app, unbuildableDocument(), token);
    const url = `/api/v1/projects/${param}/artifacts?type=documentation&path=docs/guide.bin`;
    await call({ method: "POST", url, headers: bytes, payload: "guide", ...as });
    return { param };
  };
  const begun = async () => {
    const projectId = await createProject(app, unbuildableDocument(), token);
    const url = `/api/v1/projects/${projectId}/uploads`;
    const answer = await call({ method: "POST", url, payload: newUpload, ...as });
    return { param: answer.json<{ upload_id: string }>().upload_id, projectId };
  };
  return {
    listArtifacts: withFile,
    downloadArtifact: withFile,
    verifyArtifacts: withFile,
    beginUpload: async () => ({ param: await createProject(app, unbuildableDocument(), token), payload: newUpload }),
    readUpload: begun,
    sendPiece: async () => ({ ...(await begun()), headers: { ...bytes, "upload-offset": "0" }, payload: "piece" }),
    cancelUpload: begun,
  };
}

const newUpload = { type: "documentation", path: "docs/large.bin", size_bytes: 5 };
