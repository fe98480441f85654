import type { Endpoint, EndpointName, Endpoints, Schema, Static } from "@slipway/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Principal } from "./principal.ts";

/** What a handler answers; `sendAnswer` turns it into HTTP. */
export interface Answer {
  readonly status: number;
  /** JSON, bytes, or a stream of bytes. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The source of the ETag: the answer must not change while this stays the same. */
  readonly version?: string;
}

type Part<E, K extends string> = E extends { readonly [P in K]: infer S extends Schema } ? Static<S> : undefined;
type Caller<E> = E extends { readonly access: { readonly kind: "open" | "metrics" } } ? undefined : Principal;

/** A request after authentication and validation. */
export interface Call<E extends Endpoint = Endpoint> {
  readonly params: Part<E, "params">;
  readonly query: Part<E, "query">;
  readonly body: Part<E, "body">;
  /** The bytes of a specification document, where the endpoint takes one. */
  readonly document: E extends { readonly takesDocument: true } ? Uint8Array : undefined;
  /** The body as a stream, where the endpoint takes any bytes. */
  readonly bytes: E extends { readonly takesBytes: number } ? AsyncIterable<Uint8Array> : undefined;
  readonly principal: Caller<E>;
  /** Whether the caller would still be admitted; long answers such as streams ask repeatedly. */
  readonly isStillAdmitted: () => Promise<boolean>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Answers a call; undefined when it took over the connection. */
export type Handler<E extends Endpoint> = (call: Call<E>) => Promise<Answer | undefined>;

/** One handler for every endpoint of the contract: a missing one does not compile. */
export type Handlers = { readonly [N in EndpointName]: Handler<Endpoints[N]> };
