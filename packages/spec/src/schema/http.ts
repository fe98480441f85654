import { integer, oneOf, string } from "./shape.ts";

/** The HTTP methods a check may use. */
export const httpMethods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
export type HttpMethod = (typeof httpMethods)[number];

export const method = oneOf("HTTP method of the request.", {
  GET: "Reads.",
  HEAD: "Reads the headers only.",
  POST: "Creates, or does something.",
  PUT: "Replaces.",
  PATCH: "Changes a part.",
  DELETE: "Removes.",
  OPTIONS: "Asks what is possible.",
} satisfies Record<HttpMethod, string>);

export const status = integer("HTTP status that the response must have.", {
  minimum: 100,
  maximum: 599,
  examples: [200, 201],
});

export const urlPath = (description: string) =>
  string(description, {
    pattern: "^/\\S*$",
    patternErrorMessage: "a path that starts with '/' and has no spaces",
    examples: ["/health", "/api/items"],
  });
