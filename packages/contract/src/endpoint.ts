import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import type { Access } from "./access.ts";
import type { ProblemCode } from "./problems.ts";
import type { ResponseHeader } from "./response-headers.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** What an endpoint answers when all went well. */
export interface Success {
  readonly status: 200 | 201 | 202 | 204 | 206;
  readonly description: string;
  /** Nothing: the answer is no JSON, or there is none. */
  readonly schema?: TSchema;
  /** Media types of answers that are no JSON, or are offered beside it. */
  readonly mediaTypes?: readonly string[];
  /** Headers that the answer always has, beyond those that follow from the rest. */
  readonly headers?: readonly ResponseHeader[];
  /** Headers that it has at times. */
  readonly optionalHeaders?: readonly ResponseHeader[];
}

/** An endpoint, wholly described: the server serves it so, the OpenAPI document tells it so, clients call it so. */
export interface Endpoint {
  readonly method: Method;
  /** Parameters in braces: `/api/v1/projects/{project_id}`. */
  readonly path: string;
  /** Other paths for the same. */
  readonly aliases?: readonly string[];
  /** The last parameter may hold slashes, plain or encoded. */
  readonly endsInPath?: true;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  readonly access: Access;
  readonly params?: TObject;
  readonly query?: TObject;
  /** Headers that the endpoint heeds beyond those that all do, each with what it is for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON body, checked against the schema. */
  readonly body?: TSchema;
  /** A body that is a specification document. */
  readonly takesDocument?: true;
  /** The document is a `tasks.yaml` instead. */
  readonly isPlan?: true;
  /** A body of any bytes and any media type, up to so many. */
  readonly takesBytes?: number;
  readonly success: readonly Success[];
  /** Refusals beyond those that any endpoint may answer with. */
  readonly problems: readonly ProblemCode[];
  /** The answer has an ETag, and is 304 for who has it already. */
  readonly isVersioned?: true;
  /** The answer carries a secret: it is replayed only shortly, and kept encrypted. */
  readonly answersSecret?: true;
}

export function endpoint<const E extends Endpoint>(described: E): E {
  return described;
}

/** The query of an endpoint: other parameters than these are refused. */
export function query<P extends TProperties>(properties: P) {
  return Type.Object(properties, { additionalProperties: false });
}
