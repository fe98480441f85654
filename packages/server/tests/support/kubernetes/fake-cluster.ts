import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { whenDone } from "../when-done.ts";
import { whyInvalid } from "./check-object.ts";
import { type Behaviour, podOf } from "./control-pods.ts";

export interface Stored {
  apiVersion: string;
  kind: string;
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    generation?: number;
    resourceVersion?: string;
    ownerReferences?: object[];
  };
  spec?: unknown;
  data?: Record<string, string>;
  status?: Record<string, unknown>;
}

interface Watcher {
  readonly plural: string;
  readonly labels: Record<string, string>;
  readonly response: ServerResponse;
}

const token = "the-operators-token";

/**
 * The API of a cluster: keeps objects, checks each against Kubernetes' published schemas, refuses fields that these do not
 * have, and does what the controllers for Deployments and Jobs would do.
 */
export async function startFakeCluster() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-cluster-"));
  const { key, cert } = certificate(folder);
  const objects = new Map<string, Stored>();
  const watchers = new Set<Watcher>();
  const refused: string[] = [];
  const applied: Stored[] = [];
  const events: object[] = [];
  let version = 0;
  let behaviourOf: (owner: Stored) => Behaviour = () => "well";
  let logOf: (pod: Stored) => string = () => "";

  const tell = (type: string, plural: string, object: Stored) => {
    for (const { plural: watched, labels, response } of watchers)
      if (watched === plural && matches(object, labels)) response.write(`${JSON.stringify({ type, object })}\n`);
  };
  const put = (plural: string, object: Stored) => {
    version += 1;
    const id = `${plural}/${object.metadata.name}`;
    const isNew = !objects.has(id);
    const kept = { ...object, metadata: { ...object.metadata, namespace: "apps", resourceVersion: String(version) } };
    objects.set(id, kept);
    tell(isNew ? "ADDED" : "MODIFIED", plural, kept);
    return kept;
  };
  const drop = (plural: string, name: string) => {
    const object = objects.get(`${plural}/${name}`);
    objects.delete(`${plural}/${name}`);
    if (object === undefined) return false;
    version += 1;
    tell("DELETED", plural, object);
    for (const pod of podsOf(object)) drop("pods", pod.metadata.name);
    return true;
  };
  const all = (plural: string) =>
    [...objects].filter(([id]) => id.startsWith(`${plural}/`)).map(([, object]) => object);
  const podsOf = ({ kind, metadata }: Stored) =>
    all("pods").filter(({ metadata: { ownerReferences = [] } }) =>
      (ownerReferences as { kind: string; name: string }[]).some(
        (one) => one.kind === kind && one.name === metadata.name,
      ),
    );

  /** Gives a Deployment its pods and its status, a Job its end. */
  const control = (plural: string, owner: Stored) => {
    if (!["deployments", "jobs"].includes(plural)) return;
    const behaviour = behaviourOf(owner);
    if (plural === "deployments") {
      const { replicas = 1 } = owner.spec as { replicas?: number };
      for (const pod of podsOf(owner)) drop("pods", pod.metadata.name);
      for (let number = 0; number < replicas; number += 1) put("pods", podOf(owner, behaviour, number));
      const available = behaviour === "well" ? replicas : 0;
      const status = {
        observedGeneration: owner.metadata.generation,
        replicas,
        updatedReplicas: replicas,
        availableReplicas: available,
      };
      put(plural, { ...owner, status });
    }
    if (plural === "jobs") {
      const isWell = behaviour === "well";
      const pod = podOf(owner, "well", 0);
      const terminated = { exitCode: isWell ? 0 : 9 };
      const [container] = pod.status!["containerStatuses"] as object[];
      put("pods", {
        ...pod,
        status: { phase: "Succeeded", containerStatuses: [{ ...container, ready: false, state: { terminated } }] },
      });
      put(plural, { ...owner, status: { conditions: [{ type: isWell ? "Complete" : "Failed", status: "True" }] } });
    }
  };

  const change = (plural: string, name: string, body: Stored, isApply: boolean) => {
    const before = objects.get(`${plural}/${name}`);
    if (before === undefined && !isApply) return { status: 404, body: { message: "not found" } };
    if (isApply) applied.push(body);
    const wanted = isApply ? appliedTo(before, body) : (merged(before, body) as Stored);
    const { status: _, ...toCheck } = wanted;
    const { namespace: __, resourceVersion: ___, generation, ...metadata } = toCheck.metadata;
    const reason =
      whyInvalid({ ...toCheck, metadata }) ??
      (body.metadata?.name !== undefined && body.metadata.name !== name ? "another name" : undefined);
    if (reason !== undefined) {
      refused.push(`${wanted.kind} ${name}: ${reason}`);
      return { status: 422, body: { kind: "Status", status: "Failure", message: reason } };
    }
    const isChanged = JSON.stringify(before?.spec) !== JSON.stringify(wanted.spec);
    const next = isChanged ? (before?.metadata.generation ?? 0) + 1 : (generation ?? 1);
    const kept = put(plural, { ...wanted, metadata: { ...wanted.metadata, generation: next } });
    if (isChanged) control(plural, kept);
    return { status: 200, body: objects.get(`${plural}/${name}`) };
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? "/", "https://cluster");
    const body = await text(request);
    const say = (status: number, content: unknown) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(content));
    };
    if (request.headers.authorization !== `Bearer ${token}`) return say(401, { message: "Unauthorized" });
    const [, plural = "", name, sub] =
      /\/namespaces\/apps\/([a-z]+)(?:\/([^/]+))?(?:\/(log))?$/.exec(url.pathname) ?? [];
    if (plural === "") return say(404, { message: `no such path: ${url.pathname}` });
    const labels = selectorOf(url.searchParams.get("labelSelector"));
    if (sub === "log") {
      const pod = objects.get(`pods/${name}`);
      if (pod === undefined || url.searchParams.get("previous") === "true") return say(404, { message: "no log" });
      response.end(logOf(pod));
      return undefined;
    }
    if (url.searchParams.get("watch") === "true") {
      const watcher = { plural, labels, response };
      response.writeHead(200, { "content-type": "application/json" }).flushHeaders();
      watchers.add(watcher);
      response.once("close", () => watchers.delete(watcher));
      // What happened since the list that the caller has seen.
      const from = Number(url.searchParams.get("resourceVersion"));
      for (const object of all(plural))
        if (Number(object.metadata.resourceVersion) > from && matches(object, labels))
          response.write(`${JSON.stringify({ type: "MODIFIED", object })}\n`);
      return undefined;
    }
    if (request.method === "PATCH") {
      if (url.searchParams.get("fieldValidation") !== "Strict") return say(400, { message: "not strict" });
      const isApply = request.headers["content-type"] === "application/apply-patch+yaml";
      const said = change(plural, name!, JSON.parse(body) as Stored, isApply);
      return say(said.status, said.body);
    }
    if (request.method === "DELETE") return drop(plural, name!) ? say(200, {}) : say(404, { message: "not found" });
    if (name !== undefined) {
      const object = objects.get(`${plural}/${name}`);
      return object === undefined ? say(404, { message: "not found" }) : say(200, object);
    }
    const items = plural === "events" ? events : all(plural).filter((object) => matches(object, labels));
    return say(200, { kind: "List", apiVersion: "v1", metadata: { resourceVersion: String(version) }, items });
  };

  const server = createServer({ key, cert }, (request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  whenDone(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const kubeconfig = join(folder, "kubeconfig");
  const { port } = server.address() as AddressInfo;
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(`https://127.0.0.1:${port}`, cert)));

  return {
    kubeconfig,
    /** Everything that was applied, in order. */
    applied,
    /** What was refused, with the reason. */
    refused,
    events,
    all,
    find: (plural: string, name: string) => objects.get(`${plural}/${name}`),
    put,
    /** Says how the pods of a Deployment or Job behave from now on. */
    behave: (how: (owner: Stored) => Behaviour) => {
      behaviourOf = how;
    },
    /** Lets the pods of Deployments change by themselves. */
    recontrol: () => {
      for (const owner of all("deployments")) control("deployments", owner);
    },
    write: (how: (pod: Stored) => string) => {
      logOf = how;
    },
    cutWatches: () => {
      for (const { response } of watchers) response.end();
      watchers.clear();
    },
    /** The pods that a Service sends requests to. */
    behind: (name: string) => {
      const spec = objects.get(`services/${name}`)?.spec as { selector: Record<string, string> } | undefined;
      return spec === undefined ? [] : all("pods").filter((pod) => matches(pod, spec.selector));
    },
  };
}

function certificate(folder: string) {
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"],
      ...["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", keyFile, "-out", certFile],
    ],
    { stdio: "ignore" },
  );
  return { key: readFileSync(keyFile, "utf8"), cert: readFileSync(certFile, "utf8") };
}

function kubeconfigOf(server: string, cert: string) {
  const authority = Buffer.from(cert).toString("base64");
  return {
    ...{ apiVersion: "v1", kind: "Config", "current-context": "tests" },
    clusters: [{ name: "tests", cluster: { server, "certificate-authority-data": authority } }],
    users: [{ name: "tests", user: { token } }],
    contexts: [{ name: "tests", context: { cluster: "tests", user: "tests" } }],
  };
}

/** Server-side apply of the only manager: what it gives is what it wants; what others set, such as a status, stays. */
function appliedTo(before: Stored | undefined, body: Stored): Stored {
  return {
    ...body,
    ...(before?.status && { status: before.status }),
    metadata: {
      ...body.metadata,
      ...(before?.metadata.generation !== undefined && { generation: before.metadata.generation }),
    },
  };
}

/** A merge patch: null removes. */
function merged(before: unknown, change: unknown): unknown {
  if (typeof change !== "object" || change === null || Array.isArray(change)) return change;
  const fields = Object.entries(change).map(([key, value]) => [
    key,
    merged((before as Record<string, unknown>)?.[key], value),
  ]);
  const all = { ...(before as object), ...Object.fromEntries(fields) } as Record<string, unknown>;
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

function matches({ metadata }: Stored, labels: Record<string, string>): boolean {
  return Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value);
}

function selectorOf(written: string | null): Record<string, string> {
  return Object.fromEntries(
    (written ?? "")
      .split(",")
      .filter((one) => one !== "")
      .map((one) => one.split("=") as [string, string]),
  );
}
