/** A small description in which everything occurs, for trying the renderers and checks out. */
export function sampleDescription(changes = {}) {
  const service = (name, more) => ({
    name,
    image: `example.org/${name}:1.2.3`,
    command: [],
    ports: [],
    port: null,
    dependencies: [],
    isPublic: false,
    health: null,
    limits: { memoryMb: 64, cpu: 0.5 },
    requests: null,
    environment: {},
    secretVariables: {},
    secrets: [],
    volumes: [],
    ...more,
  });
  return {
    name: "sample",
    services: [
      service("door", {
        isPublic: true,
        port: 80,
        ports: [{ host: 8080, container: 80 }],
        dependencies: ["app"],
        health: { path: "/health", port: 80, command: null },
      }),
      service("app", {
        port: 3000,
        command: ["serve", "--price", "$(cost)"],
        dependencies: ["store"],
        health: { path: "/health", port: 3000, command: null },
        requests: { memoryMb: 32, cpu: 0.1 },
        environment: { MODE: "fast", STORE_PASSWORD_FILE: "/run/secrets/store_password" },
        secretVariables: { PAY_TOKEN: "pay_token" },
        secrets: ["store_password"],
      }),
      service("store", {
        health: { path: null, port: null, command: "is-ready" },
        volumes: [{ name: "store-data", path: "/data", sizeGb: 2, class: null }],
      }),
      service("lonely", {}),
    ],
    environments: [
      {
        name: "production",
        compose: null,
        kubernetes: "kubernetes/production.yaml",
        terraform: "terraform/main.tf",
        namespace: "sample",
        tls: { secret: null, issuer: "letsencrypt" },
        overrides: {
          door: { replicas: 2, host: "sample.example.org", disruptionBudget: { minAvailable: 1, maxUnavailable: null } },
          app: {
            autoscaling: { min: 2, max: 6, cpuPercent: 70, memoryPercent: null },
            disruptionBudget: { minAvailable: null, maxUnavailable: 1 },
            limits: { memoryMb: 128 },
            environment: { MODE: "safe" },
          },
          store: {
            volumes: { "store-data": { sizeGb: 50, class: "fast" } },
            backup: { schedule: "0 3 * * *", command: "save > $BACKUP_FOLDER/all", keepDays: 14, sizeGb: 20 },
          },
        },
      },
      {
        name: "local",
        compose: "compose.yaml",
        kubernetes: null,
        terraform: null,
        namespace: "local",
        tls: null,
        overrides: {},
      },
    ],
    network: {
      name: "sample",
      cidr: "10.0.0.0/16",
      subnets: [
        { name: "front", cidr: "10.0.0.0/24", holds: ["door"] },
        { name: "back", cidr: "10.0.1.0/24", holds: ["app", "store", "lonely"] },
      ],
    },
    policies: [
      ...["pinned-images", "limits-set", "probes-set", "one-way-in", "no-plain-passwords", "not-privileged"],
      ...["two-in-production", "deny-by-default"],
    ]
      .map((id) => ({ id, rule: id, environments: null }))
      .concat(
        ["tls-outside", "disruption-budgets", "backed-up"].map((id) => ({ id, rule: id, environments: ["production"] })),
      ),
    monitoring: {
      metricsPath: "/metrics",
      intervalSeconds: 15,
      labels: { team: "sample" },
      alerts: [{ name: "Down", when: "up == 0", forMinutes: 2, severity: "critical" }],
    },
    ...changes,
  };
}
