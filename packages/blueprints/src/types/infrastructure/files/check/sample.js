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
    environment: {},
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
        command: ["serve"],
        dependencies: ["store"],
        environment: { MODE: "fast", STORE_PASSWORD_FILE: "/run/secrets/store_password" },
        secrets: ["store_password"],
      }),
      service("store", {
        health: { path: null, port: null, command: "is-ready" },
        volumes: [{ name: "store-data", path: "/data", sizeGb: 2 }],
      }),
      service("lonely", { volumes: [{ name: "lonely-data", path: "/data", sizeGb: 1 }] }),
    ],
    environments: [
      {
        name: "production",
        compose: "compose.yaml",
        kubernetes: "kubernetes/production.yaml",
        terraform: "terraform/main.tf",
        replicas: { door: 2, app: 2, store: 1, lonely: 1 },
        namespace: "sample",
        host: "sample.example.org",
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
      ...["pinned-images", "limits-set", "one-way-in", "no-plain-passwords", "not-privileged", "two-in-production"],
    ].map((id) => ({ id, rule: id })),
    monitoring: {
      metricsPath: "/metrics",
      intervalSeconds: 15,
      labels: { team: "sample" },
      alerts: [{ name: "Down", when: "up == 0", forMinutes: 2, severity: "critical" }],
    },
    ...changes,
  };
}
