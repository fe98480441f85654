interface ResponseHeaderInfo {
  readonly description: string;
  readonly schema: { readonly type: "string" | "integer"; readonly pattern?: string; readonly minimum?: number };
  readonly example: string | number;
}

/** The response headers that clients may want to read. */
export const responseHeaders = {
  "X-Request-Id": {
    description: "The request's id: the client's, or one the service generated. The logs contain it.",
    schema: { type: "string", pattern: "^.+$" },
    example: "0b8f0c7e-4f1c-4d53-9d5e-3c9f3d0c5a55",
  },
  ETag: {
    description: "The version of the response, for `If-None-Match`.",
    schema: { type: "string", pattern: '^".+"$' },
    example: '"7"',
  },
  Location: {
    description: "The path of the new resource.",
    schema: { type: "string", pattern: "^/" },
    example: "/api/v1/projects/proj_01kaw3v9t2h5m8q1x7zc",
  },
  Link: {
    description: 'The next page, with `rel="next"`. Absent on the last page.',
    schema: { type: "string", pattern: '^<.+>; rel="next"$' },
    example: '</api/v1/projects?cursor=MTpwcm9q>; rel="next"',
  },
  RateLimit: {
    description:
      "The remaining requests (`r`) and the seconds until the window resets (`t`): of the API key or the user's tokens (`default`), or of everything the user has (`user`) where fewer are left of that.",
    schema: { type: "string", pattern: '^"(?:default|user)";r=\\d+;t=\\d+$' },
    example: '"default";r=599;t=60',
  },
  "RateLimit-Policy": {
    description: "The allowed requests (`q`) in a window of `w` seconds.",
    schema: { type: "string", pattern: '^"(?:default|user)";q=\\d+;w=\\d+$' },
    example: '"default";q=600;w=60',
  },
  "Retry-After": {
    description: "The seconds to wait before retrying.",
    schema: { type: "integer", minimum: 0 },
    example: 5,
  },
  "Set-Cookie": {
    description: "The browser's session: `HttpOnly`, `SameSite=Strict`.",
    schema: { type: "string", pattern: "^slipway_session" },
    example: "slipway_session_4700=…; Path=/; HttpOnly; SameSite=Strict",
  },
  "WWW-Authenticate": {
    description: "The required token, and what is wrong with the one received.",
    schema: { type: "string", pattern: "^Bearer " },
    example: 'Bearer realm="slipway", error="invalid_token"',
  },
  Allow: {
    description: "The allowed methods.",
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "GET, HEAD",
  },
  Accept: {
    description: "The accepted media types.",
    schema: { type: "string", pattern: "/" },
    example: "application/json",
  },
  "Idempotency-Replayed": {
    description: "`true` if this is the stored response of the first request with the same key.",
    schema: { type: "string", pattern: "^true$" },
    example: "true",
  },
  "Preference-Applied": {
    description: "The part of `Prefer` that the service applied.",
    schema: { type: "string", pattern: "^wait=\\d+$" },
    example: "wait=30",
  },
  "Content-Disposition": {
    description: "The file name to save under. The service never asks browsers to display a file inline.",
    schema: { type: "string", pattern: "^attachment" },
    example: 'attachment; filename="login.png"',
  },
  "Accept-Ranges": {
    description: "Whether the file supports `Range` requests.",
    schema: { type: "string", pattern: "^(bytes|none)$" },
    example: "bytes",
  },
  "Content-Range": {
    description: "The byte range in this response and the file's total size.",
    schema: { type: "string", pattern: "^bytes (\\d+-\\d+|\\*)/\\d+$" },
    example: "bytes 0-1023/4096",
  },
  "Upload-Offset": {
    description: "How many bytes of the upload have arrived.",
    schema: { type: "integer", minimum: 0 },
    example: 8388608,
  },
  "Access-Control-Allow-Origin": {
    description: "Pages of any origin may read the response.",
    schema: { type: "string", pattern: "^\\*$" },
    example: "*",
  },
} as const satisfies Record<string, ResponseHeaderInfo>;

export type ResponseHeader = keyof typeof responseHeaders;
