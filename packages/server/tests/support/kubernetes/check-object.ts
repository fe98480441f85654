import * as published from "@kubernetes/client-node";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler";
import { Job } from "kubernetes-models/batch/v1/Job";
import { Ingress } from "kubernetes-models/networking.k8s.io/v1/Ingress";
import { ConfigMap } from "kubernetes-models/v1/ConfigMap";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Secret } from "kubernetes-models/v1/Secret";
import { Service } from "kubernetes-models/v1/Service";

/** Validators made from Kubernetes' own schemas, and the class of the client's that lists each kind's fields. */
const kinds = {
  ConfigMap: [ConfigMap, "v1", "V1ConfigMap"],
  Deployment: [Deployment, "apps/v1", "V1Deployment"],
  HorizontalPodAutoscaler: [HorizontalPodAutoscaler, "autoscaling/v2", "V2HorizontalPodAutoscaler"],
  Ingress: [Ingress, "networking.k8s.io/v1", "V1Ingress"],
  Job: [Job, "batch/v1", "V1Job"],
  PersistentVolumeClaim: [PersistentVolumeClaim, "v1", "V1PersistentVolumeClaim"],
  Secret: [Secret, "v1", "V1Secret"],
  Service: [Service, "v1", "V1Service"],
} as const;

/** What is wrong with an object, as a strict API server says it; undefined if nothing is. */
export function whyInvalid(object: Record<string, unknown>): string | undefined {
  const { kind, apiVersion, metadata } = object as { kind: keyof typeof kinds; apiVersion: string; metadata: Named };
  const [Model, version, type] = kinds[kind] ?? [];
  if (Model === undefined || apiVersion !== version) return `no kind ${kind} in ${apiVersion}`;
  const unknown = unknownFields(object, type!, "");
  if (unknown.length > 0) return `strict decoding error: unknown field ${unknown.map((one) => `"${one}"`).join(", ")}`;
  const isName = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(metadata.name);
  if (!isName || (kind === "Service" && metadata.name.length > 63)) return `${metadata.name} is not a name`;
  for (const [key, value] of Object.entries(metadata.labels ?? {}))
    if (!/^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)?$/.test(value))
      return `the label ${key} is not valid: ${value}`;
  try {
    new (Model as new (data: object) => { validate(): void })(object).validate();
  } catch (error) {
    return (error as Error).message;
  }
  return repeatedVariable(object);
}

interface Named {
  readonly name: string;
  readonly labels?: Record<string, string>;
}

type Fields = readonly { readonly baseName: string; readonly type: string }[];

/** The paths of fields that the published types do not have. */
function unknownFields(value: unknown, type: string, path: string): string[] {
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined)
    return (value as unknown[]).flatMap((item, index) => unknownFields(item, list, `${path}[${index}]`));
  const map = /^\{ \[key: string\]: (.+); \}$/.exec(type)?.[1];
  if (map !== undefined)
    return Object.entries(value as object).flatMap(([key, item]) => unknownFields(item, map, `${path}.${key}`));
  const fields = (published as unknown as Record<string, { attributeTypeMap?: Fields }>)[type]?.attributeTypeMap;
  if (fields === undefined || typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const field = fields.find(({ baseName }) => baseName === key);
    return field === undefined ? [`${path}.${key}`] : unknownFields(item, field.type, `${path}.${key}`);
  });
}

/** Lists with a key may have each key once. */
function repeatedVariable(object: unknown): string | undefined {
  const { template } =
    (object as { spec?: { template?: { spec: { containers: { env?: { name: string }[] }[] } } } }).spec ?? {};
  for (const { env = [] } of template?.spec.containers ?? []) {
    const names = env.map(({ name }) => name);
    if (new Set(names).size < names.length) return `.spec.template.spec.containers[0].env: duplicate entries for key`;
  }
  return undefined;
}
