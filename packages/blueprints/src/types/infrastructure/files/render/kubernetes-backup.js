import { labelsOf, literally, mountsOf, secretVolumes, variablesOf } from "./kubernetes-pod.js";

export function backupName({ name }) {
  return `${name}-backup`;
}

/** A job that runs by the clock in the service's own image, and a claim for what it writes. */
export function backupManifests({ namespace }, service) {
  const name = backupName(service);
  const { schedule, sizeGb } = service.backup;
  return [
    {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: { name, namespace },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: `${sizeGb}Gi` } } },
    },
    {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { name, namespace, labels: labelsOf(name) },
      spec: {
        schedule,
        concurrencyPolicy: "Forbid",
        jobTemplate: {
          spec: { backoffLimit: 2, template: { metadata: { labels: labelsOf(name) }, spec: podSpec(service, name) } },
        },
      },
    },
  ];
}

const folder = "/backup";

function podSpec(service, name) {
  const { command, keepDays } = service.backup;
  const limits = { memory: `${service.limits.memoryMb}Mi`, cpu: String(service.limits.cpu) };
  const script = `set -eu\n${command}\nfind "$BACKUP_FOLDER" -type f -mtime +${keepDays} -delete`;
  return {
    automountServiceAccountToken: false,
    restartPolicy: "Never",
    containers: [
      {
        name,
        image: service.image,
        command: ["/bin/sh", "-c", literally(script)],
        env: [...variablesOf(service), { name: "BACKUP_FOLDER", value: folder }],
        resources: { requests: limits, limits },
        securityContext: { allowPrivilegeEscalation: false, privileged: false },
        volumeMounts: [{ name: "backup", mountPath: folder }, ...mountsOf(service)],
      },
    ],
    volumes: [{ name: "backup", persistentVolumeClaim: { claimName: name } }, ...secretVolumes(service)],
  };
}
