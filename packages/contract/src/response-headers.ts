interface ResponseHeaderInfo {
  readonly description: string;
  readonly schema: { readonly type: "string" | "integer"; readonly pattern?: string; readonly minimum?: number };
  readonly example: string | number;
}

/** Every header of answers that a client may want to read. */
export const responseHeaders = {
  "X-Request-Id": {
    description: "The request's id, yours or ours; the logs know it.",
    schema: { type: "string", pattern: "^.+$" },
    example: "0b8f0c7e-4f1c-4d53-9d5e-3c9f3d0c5a55",
  },
  ETag: {
    description: "The version of what is answered; for `If-None-Match`.",
    schema: { type: "string", pattern: '^".+"$' },
    example: '"7"',
  },
  Location: {
    description: "Where the new thing is.",
    schema: { type: "string", pattern: "^/" },
    example: "/api/v1/projects/proj_01kaw3v9t2h5m8q1x7zc",
  },
  Link: {
    description: 'Where the next page is, with `rel="next"`; absent on the last.',
    schema: { type: "string", pattern: '^<.+>; rel="next"$' },
    example: '</api/v1/projects?cursor=MTpwcm9q>; rel="next"',
  },
  RateLimit: {
    description: "How many requests are left (`r`), and in how many seconds the count starts anew (`t`).",
    schema: { type: "string", pattern: '^"default";r=\\d+;t=\\d+$' },
    example: '"default";r=599;t=60',
  },
  "RateLimit-Policy": {
    description: "How many requests (`q`) may be made in a window of so many seconds (`w`).",
    schema: { type: "string", pattern: '^"default";q=\\d+;w=\\d+$' },
    example: '"default";q=600;w=60',
  },
  "Retry-After": {
    description: "After how many seconds to try again.",
    schema: { type: "integer", minimum: 0 },
    example: 5,
  },
  "WWW-Authenticate": {
    description: "Which token is needed, and what is wrong with the one that came.",
    schema: { type: "string", pattern: "^Bearer " },
    example: 'Bearer realm="slipway", error="invalid_token"',
  },
  Allow: {
    description: "The methods that are possible here.",
    schema: { type: "string", pattern: "^[A-Z]+(, [A-Z]+)*$" },
    example: "GET, HEAD",
  },
  Accept: {
    description: "The media types that are taken here.",
    schema: { type: "string", pattern: "/" },
    example: "application/json",
  },
  "Idempotency-Replayed": {
    description: "`true`: this is the answer that the first request with the same key got.",
    schema: { type: "string", pattern: "^true$" },
    example: "true",
  },
  "Preference-Applied": {
    description: "What of `Prefer` was heeded.",
    schema: { type: "string", pattern: "^wait=\\d+$" },
    example: "wait=30",
  },
  "Content-Disposition": {
    description: "By which name to keep it; it is never shown in place.",
    schema: { type: "string", pattern: "^attachment" },
    example: 'attachment; filename="login.png"',
  },
  "Accept-Ranges": {
    description: "Whether a part of it can be asked for with `Range`.",
    schema: { type: "string", pattern: "^(bytes|none)$" },
    example: "bytes",
  },
  "Content-Range": {
    description: "Which part of how many bytes this is.",
    schema: { type: "string", pattern: "^bytes (\\d+-\\d+|\\*)/\\d+$" },
    example: "bytes 0-1023/4096",
  },
  "Upload-Offset": {
    description: "How many bytes of the upload are here.",
    schema: { type: "integer", minimum: 0 },
    example: 8388608,
  },
  "Access-Control-Allow-Origin": {
    description: "Pages of any origin may read it.",
    schema: { type: "string", pattern: "^\\*$" },
    example: "*",
  },
} as const satisfies Record<string, ResponseHeaderInfo>;

export type ResponseHeader = keyof typeof responseHeaders;
