import type { RouteShare } from "../supervisor/index.ts";
import type { ClusterObject } from "./cluster.ts";
import type { KubernetesSettings } from "./kubernetes-settings.ts";
import { deploymentLabels, nameOf, own } from "./object-names.ts";
import { containerPort, entryLabel, servicePort } from "./render-release.ts";

export interface AddressToRender {
  readonly host: string;
  readonly deploymentId: string;
  readonly shares: readonly RouteShare[];
  readonly canary: string | undefined;
  readonly settings: KubernetesSettings;
  /** The name that people reach it by; undefined: inside the cluster only. */
  readonly hostName: string | undefined;
}

/**
 * The address of a deployment. One version has it alone by its label: that is the switch. Two versions share it by the
 * number of their copies.
 */
export function renderAddress(address: AddressToRender): ClusterObject[] {
  const { host, deploymentId, shares, canary, hostName } = address;
  const labels = { ...deploymentLabels(host, deploymentId) };
  // With no version at all, a label that no pod has.
  const only = shares.length > 1 ? {} : { [own.release]: shares[0]?.releaseId ?? "none" };
  const annotations = {
    [own.shares]: shares.map(({ releaseId, weight }) => `${releaseId}=${weight}`).join(","),
    ...(canary !== undefined && { [own.canary]: canary }),
  };
  const service: ClusterObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: nameOf(deploymentId), labels, annotations },
    spec: {
      selector: { ...labels, ...only, [own.program]: entryLabel },
      ports: [{ name: "http", port: servicePort, targetPort: containerPort }],
    },
  };
  return hostName === undefined ? [service] : [service, ingressOf(address, hostName)];
}

function ingressOf({ host, deploymentId, settings }: AddressToRender, hostName: string): ClusterObject {
  const { className, tlsSecret } = settings.ingress!;
  const backend = { service: { name: nameOf(deploymentId), port: { name: "http" } } };
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: { name: nameOf(deploymentId), labels: { ...deploymentLabels(host, deploymentId) } },
    spec: {
      ...(className !== undefined && { ingressClassName: className }),
      ...(tlsSecret !== undefined && { tls: [{ hosts: [hostName], secretName: tlsSecret }] }),
      rules: [{ host: hostName, http: { paths: [{ path: "/", pathType: "Prefix", backend }] } }],
    },
  };
}

interface ScalerToRender {
  readonly host: string;
  readonly deploymentId: string;
  /** The Deployment of the program that gets the requests. */
  readonly target: string;
  readonly minReplicas: number;
  readonly autoscale: NonNullable<KubernetesSettings["autoscale"]>;
}

/** Adds copies under load to the version that has all requests. */
export function renderScaler(scaler: ScalerToRender): ClusterObject {
  const { host, deploymentId, target: name, minReplicas, autoscale } = scaler;
  const target = { type: "Utilization", averageUtilization: autoscale.cpuPercent };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: nameOf(deploymentId), labels: { ...deploymentLabels(host, deploymentId) } },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name },
      minReplicas,
      maxReplicas: Math.max(minReplicas, autoscale.maxReplicas),
      metrics: [{ type: "Resource", resource: { name: "cpu", target } }],
    },
  };
}
