import type { EndpointName, Endpoints } from "@slipway/contract";
import type { Static, TSchema } from "typebox";

/** What an endpoint is called with: what its description in the contract's table asks for, and nothing else. */
export type CallOptions<N extends EndpointName> = Common &
  Params<Endpoints[N]> &
  Query<Endpoints[N]> &
  Body<Endpoints[N]> &
  Document<Endpoints[N]> &
  Bytes<Endpoints[N]>;

interface Common {
  /** Added to those that are sent anyway; the same name replaces. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

type Params<E> = E extends { readonly params: infer S extends TSchema } ? { readonly params: Static<S> } : unknown;
type Query<E> = E extends { readonly query: infer S extends TSchema } ? { readonly query?: Static<S> } : unknown;
type Body<E> = E extends { readonly body: infer S extends TSchema } ? { readonly body: Static<S> } : unknown;
type Document<E> = E extends { readonly takesDocument: true }
  ? { readonly document: string | Uint8Array<ArrayBuffer> }
  : unknown;
type Bytes<E> = E extends { readonly takesBytes: number }
  ? { readonly bytes: Blob | Uint8Array<ArrayBuffer> }
  : unknown;

/** What an endpoint answers: JSON where it has any, else text, else nothing. */
export type Answer<N extends EndpointName> = AnswerOf<Endpoints[N]["success"][number]>;

type AnswerOf<S> = S extends { readonly schema: infer Schema extends TSchema }
  ? Static<Schema>
  : S extends { readonly mediaTypes: readonly string[] }
    ? string
    : undefined;

/** Whether an endpoint can be called with nothing at all. */
export type Arguments<N extends EndpointName> =
  Record<never, never> extends CallOptions<N> ? [options?: CallOptions<N>] : [options: CallOptions<N>];

/** The same without the types of a certain endpoint: how the call is carried out. */
export interface AnyCallOptions extends Common {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly document?: string | Uint8Array<ArrayBuffer>;
  readonly bytes?: Blob | Uint8Array<ArrayBuffer>;
}
