import { boolean, either, integer, list, map, number, object, oneOf, string, withDefault } from "../schema/shape.ts";

const serviceName = (description: string, example: string) =>
  string(description, { minLength: 1, examples: [example] });

const dnsName = "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$";

const host = (description: string) =>
  string(description, {
    pattern: "^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$",
    patternErrorMessage: "a host name such as shop.example.org",
    examples: ["shop.example.org"],
  });

const variables = map(
  "Environment variables. A secret is named, never written here.",
  either("The value of a variable.", [
    string("A text; `/run/secrets/NAME` makes a file of that secret.", {
      examples: ["/run/secrets/database_password"],
    }),
    number("A number.", { examples: [8080] }),
    boolean("True or false.", { examples: [true] }),
    object(
      "The value of a secret.",
      {
        secret: string("Name of the secret.", {
          pattern: "^[A-Za-z][A-Za-z0-9_-]*$",
          patternErrorMessage: "a name of letters, digits, '_' and '-'",
          examples: ["stripe_key"],
        }),
      },
      ["secret"],
    ),
  ]),
  { examples: [{ LOG_LEVEL: "info", STRIPE_KEY: { secret: "stripe_key" } }] },
);

const resources = {
  memory_mb: integer("Megabytes of memory.", { minimum: 4, maximum: 1_000_000, examples: [512] }),
  cpu: number("Cores, or a part of one.", { minimum: 0.01, maximum: 512, examples: [0.5] }),
};

// Described as in every document: editors show one of the two.
const services = map(
  "The services that the project consists of, by name.",
  object("A service of the stack.", {
    image: string("The container image, with its version. If absent, `stack.image`.", {
      pattern: "^[A-Za-z0-9][A-Za-z0-9_./:@-]*$",
      patternErrorMessage: "the name of an image such as 'nginx:1.27.3-alpine'",
      examples: ["postgres:17.2-alpine"],
    }),
    command: list("Arguments of its program.", string("An argument.", { examples: ["serve"] }), {
      examples: [["serve", "--verbose"]],
    }),
    public: boolean("Whether it is reached from outside.", { examples: [true] }),
    healthcheck: object("How to tell that it can be used: a path or a command.", {
      path: string("A path that answers with 200.", {
        pattern: "^/[A-Za-z0-9_./?=&-]*$",
        patternErrorMessage: "a path such as /health",
        examples: ["/health"],
      }),
      port: integer("The port of that path.", { minimum: 1, maximum: 65_535, examples: [3000] }),
      command: string("A command that ends with 0.", { minLength: 1, examples: ["pg_isready -U shop"] }),
    }),
    limits: object("What it may use.", resources),
    requests: object("What it gets for sure; as much as its limits if absent.", resources),
    environment: variables,
    volumes: list(
      "Data that outlives it.",
      object(
        "A volume.",
        {
          name: string("Name of the volume.", {
            pattern: dnsName,
            patternErrorMessage: "a name of small letters, digits and '-'",
            examples: ["database-data"],
          }),
          path: string("Where it is mounted.", {
            pattern: "^/[A-Za-z0-9_./-]*$",
            patternErrorMessage: "a path from the root such as /data",
            examples: ["/var/lib/postgresql/data"],
          }),
          size_gb: integer("Gigabytes in Kubernetes; 5 if absent.", { minimum: 1, maximum: 100_000, examples: [10] }),
          class: string("The storage class in Kubernetes.", {
            pattern: dnsName,
            patternErrorMessage: "a name of small letters, digits and '-'",
            examples: ["fast-ssd"],
          }),
        },
        ["name", "path"],
      ),
    ),
  }),
);

const byService = "by service";

const environments = map(
  "Environments, by name.",
  object("An environment.", {
    namespace: string("The namespace in Kubernetes; the environment's name if absent.", {
      pattern: dnsName,
      patternErrorMessage: "a name of small letters, digits and '-'",
      examples: ["shop-staging"],
    }),
    host: either("The name under which public services are reached from outside.", [
      host("One name, where one service is public."),
      map(`A name for each public service, ${byService}.`, host("A name."), {
        examples: [{ web: "shop.example.org", api: "api.shop.example.org" }],
      }),
    ]),
    tls: object("Encrypts what comes from outside; needs `host`.", {
      secret: string("The Kubernetes secret that has the certificate. If absent, one a service, `NAME-tls`.", {
        pattern: dnsName,
        patternErrorMessage: "a name of small letters, digits and '-'",
        examples: ["shop-certificate"],
      }),
      issuer: string("The cluster issuer of cert-manager that makes the certificate.", {
        pattern: dnsName,
        patternErrorMessage: "a name of small letters, digits and '-'",
        examples: ["letsencrypt"],
      }),
    }),
    replicas: map(
      `How many instances run, ${byService}; 1 if absent. In Compose, each of a public service has a port: 8080, 8081, …`,
      integer("A number.", { minimum: 0, maximum: 1000 }),
      {
        examples: [{ web: 3 }],
      },
    ),
    limits: map(`Other limits than the service's own, ${byService}.`, object("What it may use here.", resources), {
      examples: [{ web: { memory_mb: 1024 } }],
    }),
    variables: map(`Further environment variables, ${byService}.`, variables, {
      examples: [{ web: { LOG_LEVEL: "debug" } }],
    }),
    volumes: map(
      "Other sizes and classes, by volume.",
      object("A volume here.", {
        size_gb: integer("Gigabytes in Kubernetes.", { minimum: 1, maximum: 100_000, examples: [100] }),
        class: string("The storage class in Kubernetes.", {
          pattern: dnsName,
          patternErrorMessage: "a name of small letters, digits and '-'",
          examples: ["fast-ssd"],
        }),
      }),
      { examples: [{ "database-data": { size_gb: 100 } }] },
    ),
    autoscaling: map(
      `How many instances run by load, ${byService}, instead of \`replicas\`.`,
      object(
        "The limits of scaling. Without a percentage it is by CPU, at 70.",
        {
          min: integer("The fewest.", { minimum: 1, maximum: 1000, examples: [2] }),
          max: integer("The most.", { minimum: 1, maximum: 1000, examples: [10] }),
          cpu_percent: integer("The use of CPU to keep to.", { minimum: 1, maximum: 100, examples: [70] }),
          memory_percent: integer("The use of memory to keep to.", { minimum: 1, maximum: 100, examples: [80] }),
        },
        ["min", "max"],
      ),
      { examples: [{ web: { min: 2, max: 10 } }] },
    ),
    disruption_budget: map(
      `What must go on running while machines are replaced, ${byService}.`,
      object("One of the two.", {
        min_available: integer("So many at least.", { minimum: 1, maximum: 1000, examples: [1] }),
        max_unavailable: integer("All but so many at most.", { minimum: 1, maximum: 1000, examples: [1] }),
      }),
      { examples: [{ web: { min_available: 1 } }] },
    ),
    backup: map(
      `What is saved when, ${byService}.`,
      object(
        "A backup. It runs in the service's image, with its variables and secrets.",
        {
          schedule: string("When, as in crontab.", {
            pattern: "^(?:[0-9*,/-]+ ){4}[0-9*,/A-Za-z-]+$",
            patternErrorMessage: "five fields as in crontab, such as '0 3 * * *'",
            examples: ["0 3 * * *"],
          }),
          command: string("A command that writes into the folder `$BACKUP_FOLDER`.", {
            minLength: 1,
            examples: ['pg_dump -h database -U shop shop > "$BACKUP_FOLDER/$(date +%F).sql"'],
          }),
          keep_days: integer("Older files are deleted; 7 if absent.", { minimum: 1, maximum: 3650, examples: [14] }),
          size_gb: integer("Gigabytes for all of them; 10 if absent.", {
            minimum: 1,
            maximum: 100_000,
            examples: [50],
          }),
        },
        ["schedule", "command"],
      ),
      { examples: [{ database: { schedule: "0 3 * * *", command: "save-all", keep_days: 14 } }] },
    ),
  }),
);

const cidr = (description: string, example: string) =>
  string(description, {
    pattern: "^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)\\.){3}(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)/(?:[12]?\\d|3[0-2])$",
    patternErrorMessage: "a range of addresses such as 10.40.0.0/16",
    examples: [example],
  });

const networkPlan = object("The network around the services.", {
  name: string("Its name. If absent, `id`.", { minLength: 1, examples: ["shop"] }),
  cidr: withDefault(cidr("Its addresses.", "10.40.0.0/16"), "10.0.0.0/16"),
  subnets: withDefault(
    list(
      "Its parts. Services that none holds get one for public services and one for the others.",
      object(
        "A part.",
        {
          name: string("Its name.", { minLength: 1, examples: ["private"] }),
          cidr: cidr("Its addresses.", "10.40.1.0/24"),
          holds: withDefault(list("The services in it.", serviceName("Name of a service.", "database")), []),
        },
        ["name", "cidr"],
      ),
    ),
    [],
  ),
});

/** The policies that a result's own check enforces. */
export const infrastructurePolicies = {
  "pinned-images": "Every image has a version, and none is called latest.",
  "limits-set": "Every service has a limit of memory and of CPU.",
  "probes-set": "Every service with a port has a health check.",
  "one-way-in": "Only services marked public are reached from outside.",
  "tls-outside": "What is reached from outside is encrypted.",
  "no-plain-passwords": "No variable named like a password holds a value; it names a secret or a file.",
  "not-privileged": "No container runs privileged or shares the host's network.",
  "two-in-production": "Every public service has two instances or more in production.",
  "disruption-budgets": "Whatever has two instances or more has a disruption budget.",
  "backed-up": "Every service with a volume has a backup.",
  "deny-by-default": "Every service is reached only by those that depend on it.",
} as const;

const policyId = oneOf("A policy.", infrastructurePolicies);

const policies = list(
  "What the files must keep to; the result's check fails where they do not. TLS, backups and numbers of instances are asked of a Compose file only where no Kubernetes file is written.",
  either("A policy, or a policy with more to say.", [
    policyId,
    object(
      "A policy.",
      {
        id: policyId,
        rule: string("What it says, in your own words.", { examples: ["Every image has a version"] }),
        environments: list("Where it holds; everywhere if absent.", string("An environment.", { minLength: 1 }), {
          examples: [["production"]],
        }),
      },
      ["id"],
    ),
  ]),
  { examples: [["pinned-images", { id: "backed-up", environments: ["production"] }]] },
);

/** What a document of this type may say beyond the keys of every document. */
export const infrastructure = object("What `infrastructure` is made from.", {
  services,
  environments,
  network_plan: withDefault(networkPlan, {}),
  policies: withDefault(policies, []),
});
