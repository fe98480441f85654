import type { Access } from "./access.ts";
import type { ProblemCode } from "./problems.ts";
import type { ResponseHeader } from "./response-headers.ts";
import { type ObjectSchema, type Properties, type Schema, Type } from "./schema.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** A successful response of an endpoint. */
export interface Success {
  readonly status: 200 | 201 | 202 | 204 | 206;
  readonly description: string;
  /** Absent if the response is not JSON or has no body. */
  readonly schema?: Schema;
  /** Media types offered besides JSON, or instead of it. */
  readonly mediaTypes?: readonly string[];
  /** Headers that the response always has, beyond those the description implies. */
  readonly headers?: readonly ResponseHeader[];
  /** Headers that the response sometimes has. */
  readonly optionalHeaders?: readonly ResponseHeader[];
}

/** The full description of an endpoint: the server, the OpenAPI document and the clients are built from it. */
export interface Endpoint {
  readonly method: Method;
  /** Parameters in braces: `/api/v1/projects/{project_id}`. */
  readonly path: string;
  /** Further paths of the same endpoint. */
  readonly aliases?: readonly string[];
  /** The last path parameter may contain slashes, plain or encoded. */
  readonly endsInPath?: true;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: ObjectSchema;
  readonly query?: ObjectSchema;
  /** Request headers that only this endpoint reads, with their purpose. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The schema of the JSON body. */
  readonly body?: Schema;
  /** The body is a specification document. */
  readonly takesDocument?: true;
  /** The body is a `tasks.yaml` instead of a specification document. */
  readonly isPlan?: true;
  /** The body may be any bytes of any media type, up to this size. */
  readonly takesBytes?: number;
  readonly success: readonly Success[];
  /** Problems beyond those that every endpoint can return. */
  readonly problems: readonly ProblemCode[];
  /** The response has an ETag, and is 304 if the client has that version. */
  readonly isVersioned?: true;
  /** The response contains a secret: idempotent replays store it encrypted and only briefly. */
  readonly answersSecret?: true;
}

export function endpoint<const E extends Endpoint>(described: E): E {
  return described;
}

/** A query schema that refuses unknown parameters. */
export function query<P extends Properties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}
