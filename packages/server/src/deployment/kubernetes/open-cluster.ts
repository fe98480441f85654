import { HttpMethod, KubeConfig, RequestContext } from "@kubernetes/client-node";
import { loadUndici } from "../../platform/network/index.ts";
import { wholeEnd } from "../../platform/one-line.ts";
import { withoutEndSlashes } from "../../platform/without-end-slashes.ts";
import { LineReader } from "../supervisor/line-reader.ts";
import { type Cluster, ClusterRefusal, type Kind, type Labels, places } from "./cluster.ts";
import type { KubernetesSettings } from "./kubernetes-settings.ts";

type Fetch = ReturnType<typeof loadUndici>["fetch"];
type Answer = Awaited<ReturnType<Fetch>>;

interface Call {
  readonly method?: "GET" | "PATCH" | "DELETE";
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly type?: string;
  readonly signal?: AbortSignal;
}

const maxCallMs = 30_000;
const maxReasonLength = 500;
/** Tokens and certificates of a kubeconfig may be short-lived: they are read again after this time. */
const credentialsMs = 60_000;
const manager = "slipway";

/**
 * Opens the cluster of the operator's kubeconfig, or the one that the service runs in. The library brings the credentials
 * and TLS; requests are ours, because its serializer drops fields that it does not know, where the API would refuse them.
 */
export function openCluster({ kubeconfig, context, namespace }: KubernetesSettings): Cluster {
  const config = new KubeConfig();
  if (kubeconfig === undefined) config.loadFromCluster();
  else config.loadFromFile(kubeconfig);
  if (context !== undefined) config.setCurrentContext(context);
  const written = config.getCurrentCluster()?.server;
  if (written === undefined) throw new ClusterRefusal("The kubeconfig names no cluster for its context.");
  const server = withoutEndSlashes(written);
  const credentials = new Credentials(config, server);

  const call = async (path: string, { method = "GET", query, body, type, signal }: Call): Promise<Answer> => {
    const url = new URL(`${server}/${path}`);
    for (const [key, value] of Object.entries(query ?? {})) url.searchParams.set(key, value);
    const { headers, dispatcher } = await credentials.get();
    return loadUndici()
      .fetch(url, {
        method,
        headers: { ...headers, accept: "application/json", ...(type && { "content-type": type }) },
        ...(body && { body: JSON.stringify(body) }),
        ...(dispatcher && { dispatcher }),
        signal: signal ?? AbortSignal.timeout(maxCallMs),
      })
      .catch((error: unknown) => {
        signal?.throwIfAborted();
        throw new ClusterRefusal(`The cluster does not answer (${codeOf(error)}).`, { cause: error });
      });
  };
  const ask = async (what: string, path: string, options: Call): Promise<unknown> => {
    const answer = await call(path, options);
    if (answer.ok) return answer.json();
    if (answer.status === 404) {
      await answer.body?.cancel();
      return undefined;
    }
    throw new ClusterRefusal(`The cluster refused ${what}: ${await reasonOf(answer)}`);
  };
  const pathOf = (kind: Kind, name?: string) => {
    const [group, plural] = places[kind];
    return `${group}/namespaces/${namespace}/${plural}${name === undefined ? "" : `/${name}`}`;
  };
  const read = (kind: Kind, name: string) => ask(`to show ${kind} ${name}`, pathOf(kind, name), {});
  const textOf = async (path: string, query: Record<string, string>, signal?: AbortSignal) =>
    call(path, { query, ...(signal && { signal }) });

  return {
    apply: async (object) => {
      const { kind, metadata } = object;
      const query = { fieldManager: manager, force: "true", fieldValidation: "Strict" };
      const type = "application/apply-patch+yaml";
      const made = await ask(`${kind} ${metadata.name}`, pathOf(kind, metadata.name), {
        ...{ method: "PATCH", query, type, body: object },
      });
      if (made === undefined) throw new ClusterRefusal(`The cluster has no namespace '${namespace}'.`);
    },
    patch: async (kind, name, change) => {
      const type = "application/merge-patch+json";
      const query = { fieldManager: manager, fieldValidation: "Strict" };
      const to = { method: "PATCH", query, type, body: change } as const;
      return (await ask(`a change of ${kind} ${name}`, pathOf(kind, name), to)) !== undefined;
    },
    read: async (kind, name) => (await read(kind, name)) as never,
    list: async (kind, labels, fields) => {
      const query = { labelSelector: selectorOf(labels), ...(fields && { fieldSelector: selectorOf(fields) }) };
      const found = (await ask(`to list ${kind}s`, pathOf(kind), { query })) as Found | undefined;
      return { items: (found?.items ?? []) as never, resourceVersion: found?.metadata?.resourceVersion ?? "" };
    },
    remove: async (kind, name) => {
      const body = { apiVersion: "v1", kind: "DeleteOptions", propagationPolicy: "Background" };
      const type = "application/json";
      await ask(`to remove ${kind} ${name}`, pathOf(kind, name), { method: "DELETE", body, type });
    },
    watch: async (kind, labels, from, onChange, signal) => {
      const query = { watch: "true", labelSelector: selectorOf(labels), resourceVersion: from };
      const answer = await call(pathOf(kind), { query, signal });
      if (!answer.ok) throw new ClusterRefusal(`The cluster refused to watch: ${await reasonOf(answer)}`);
      await eachLine(answer, (line) => {
        const { type, object } = JSON.parse(line) as { type: string; object: never };
        // What was seen last is too old to go on from: the caller lists again.
        if (type === "ERROR") throw new ClusterRefusal("The cluster ended the watch.");
        if (type !== "BOOKMARK") onChange(object);
      });
    },
    readLog: async (pod, { isPrevious, lines }) => {
      // A cluster that reaches the limit leaves out the end, not the beginning: it is beyond what most keep of a log.
      const limits = { tailLines: String(lines), limitBytes: String(maxLogBytes) };
      const answer = await textOf(`${pathOf("Pod", pod)}/log`, { ...limits, ...(isPrevious && { previous: "true" }) });
      if (answer.ok) return endOf(answer.body ?? []);
      await answer.body?.cancel();
      return "";
    },
    followLog: async (pod, since, onText, signal) => {
      const query = { follow: "true", sinceTime: since.toISOString().replace(/\.\d+Z$/, "Z") };
      const answer = await textOf(`${pathOf("Pod", pod)}/log`, query, signal);
      if (!answer.ok) throw new ClusterRefusal(`The cluster shows no log: ${await reasonOf(answer)}`);
      const decoder = new TextDecoder();
      for await (const bytes of answer.body ?? []) await onText(decoder.decode(bytes as Uint8Array, { stream: true }));
    },
    close: () => credentials.close(),
  };
}

const maxLogBytes = 16 << 20;
const maxLogChars = 64 << 10;

/** The end of a log; says so where its beginning, or what came after the limit, was left out. */
async function endOf(body: AsyncIterable<unknown> | Iterable<unknown>): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes, isCut] = ["", 0, false];
  for await (const chunk of body) {
    bytes += (chunk as Uint8Array).length;
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.length <= 4 * maxLogChars) continue;
    text = text.slice(-2 * maxLogChars);
    isCut = true;
  }
  isCut ||= text.length > maxLogChars;
  const end = wholeEnd(text, maxLogChars);
  return `${isCut ? "… what came before was left out\n" : ""}${end}${bytes >= maxLogBytes ? "…\n" : ""}`;
}

interface Found {
  readonly items?: readonly object[];
  readonly metadata?: { readonly resourceVersion?: string };
}

type Dispatcher = NonNullable<Parameters<Fetch>[1]>["dispatcher"];

/** What every request to the API carries. */
class Credentials {
  readonly #config: KubeConfig;
  readonly #server: string;
  #known: { headers: Record<string, string>; dispatcher: Dispatcher; untilMs: number } | undefined;

  constructor(config: KubeConfig, server: string) {
    this.#config = config;
    this.#server = server;
  }

  async get() {
    if (this.#known !== undefined && performance.now() < this.#known.untilMs) return this.#known;
    const context = new RequestContext(this.#server, HttpMethod.GET);
    await this.#config.applySecurityAuthentication(context).catch((error: unknown) => {
      // Without its message, which may name accounts.
      throw new ClusterRefusal("The credentials of the kubeconfig cannot be used.", { cause: error });
    });
    const old = this.#known?.dispatcher;
    const dispatcher = context.getDispatcher() as Dispatcher;
    this.#known = { headers: { ...context.getHeaders() }, dispatcher, untilMs: performance.now() + credentialsMs };
    // Requests in flight, such as a watch, go on until they end.
    void old?.close().catch(() => undefined);
    return this.#known;
  }

  async close(): Promise<void> {
    const { dispatcher } = this.#known ?? {};
    this.#known = undefined;
    await dispatcher?.destroy();
  }
}

function selectorOf(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

/** The API says why in a `Status`. */
async function reasonOf(answer: Answer): Promise<string> {
  const text = await answer.text();
  try {
    const { message } = JSON.parse(text) as { message?: string };
    if (message !== undefined) return message.slice(0, maxReasonLength);
  } catch {
    // Something between us and the API answered.
  }
  return `it answered with ${answer.status}.`;
}

function codeOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: string; message?: string }; name?: string };
  return cause?.code ?? cause?.message ?? name ?? "unknown";
}

async function eachLine(answer: Answer, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  const lines = new LineReader((line) => {
    if (line !== "") onLine(line);
  });
  for await (const bytes of answer.body ?? []) lines.push(decoder.decode(bytes as Uint8Array, { stream: true }));
  lines.push("\n");
}
