// @module-tag soak
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { buildDocument, documentOf, unmetOf } from "./support/build-document.ts";
import { expectWellFormed } from "./support/hostile-texts.ts";

/** Documents as people write them who have never heard of what can be built by rule; and what must be said of each. */
const documents: Readonly<Record<string, readonly [type: string, fields: Record<string, unknown>, said: string[]]>> = {
  "a blog in Rails": [
    "web-app",
    {
      stack: { language: "ruby", framework: "rails", database: "postgresql", frontend: "hotwire" },
      services: {
        web: { dependencies: ["db"], stack: { framework: "rails" } },
        db: { outcome_type: "infrastructure" },
      },
      acceptance: {
        tests: [{ file: "spec/**/*_spec.rb", type: "unit", framework: "rspec" }],
        http_endpoints: [{ path: "/posts" }],
        lighthouse: 100,
        performance: { latency_p99_ms: 1 },
      },
    },
    [
      ...["/stack/language", "/stack/framework", "/stack/database", "/stack/frontend", "/services/web", "/services/db"],
      ...[
        "/services/web/stack/framework",
        "/services/db/outcome_type",
        "/acceptance/tests/0",
        "/acceptance/lighthouse",
      ],
      "/acceptance/performance/latency_p99_ms",
    ],
  ],
  "pages at odd addresses, with odd texts": [
    "web-app",
    {
      pages: [{ path: "/fine", title: "Fine" }],
      acceptance: {
        http_endpoints: [
          { path: "/fine", response_contains: ["Fine", "<main", "<!DOCTYPE html>"] },
          { path: "/100%", response_contains: "all" },
          { path: "/../../etc/passwd" },
          { path: "/quoted", response_contains: 'a "word"' },
          { path: "/script", response_contains: "</script><script>alert(1)</script>" },
        ],
      },
    },
    [1, 2, 3, 4].map((index) => `/acceptance/http_endpoints/${index}`),
  ],
  "an API in Go that contradicts itself": [
    "api",
    {
      name: "Shop '; DROP TABLE users; --",
      description: ["Sells <b>things</b> $(id) `id` $", "{process.env.HOME}"].join(""),
      stack: { language: "go", framework: "gin", cache: "redis" },
      data_model: { product: { fields: { name: "string" } } },
      acceptance: {
        http_endpoints: [
          { path: "/products", status: 200 },
          { path: "/products", status: 404 },
          { path: "/products", method: "POST", body: { name: "x" }, status: 201 },
          { path: "/products", method: "POST", body: { name: "x" }, status: 500 },
        ],
        integration_tests: [
          { name: "made, and not there", steps: ['POST /products {"name": "a"} → 201', "GET /products/{id} → 404"] },
          {
            name: "removed, and there",
            steps: [
              'POST /products {"name": "a"} → 201',
              "DELETE /products/{id} → 204",
              "GET /products/999 → 404",
              "GET /products/{id} → 200",
            ],
          },
          {
            name: "removed, and not there",
            steps: ['POST /products {"name": "a"} → 201', "DELETE /products/{id} → 204", "GET /products/{id} → 404"],
          },
        ],
        commands: ["go test ./... → 0"],
        users_love_it: true,
      },
    },
    [
      ...["/stack/language", "/stack/framework", "/stack/cache", "/acceptance/commands/0", "/acceptance/users_love_it"],
      ...["/acceptance/http_endpoints/1", "/acceptance/http_endpoints/3"],
      "/acceptance/integration_tests/1",
    ],
  ],
  "a search tool in Rust": [
    "cli",
    {
      stack: { language: "rust", framework: "clap" },
      acceptance: {
        commands: [
          "cargo build --release → 0",
          { command: "./target/release/rusty --version", stdout_contains: "2.3.4" },
          { command: "./target/release/rusty --version", stdout_contains: "9.9.9" },
        ],
      },
    },
    [
      ...["/stack/language", "/stack/framework", "/cli"],
      ...["/acceptance/commands/0", "/acceptance/commands/1", "/acceptance/commands/2"],
    ],
  ],
  "an app in Flutter, in Arabic": [
    "mobile-app",
    {
      name: "مفكرة",
      description: "تطبيق ملاحظات",
      stack: { language: "dart", framework: "flutter", platform: ["ios", "android"] },
      acceptance: { commands: ["flutter build apk → 0"], app_store_rating_min: 4.8, performance: { fps_min: 60 } },
    },
    [
      ...["/stack/language", "/stack/framework", "/stack/platform", "/acceptance/commands/0", "/description"],
      ...["/acceptance/app_store_rating_min", "/acceptance/performance/fps_min"],
    ],
  ],
  "a shooter in Unity": [
    "game",
    {
      name: "Space 🦊",
      description: "A 3D shooter for eight.",
      stack: { engine: "unity", language: "c#" },
      services: { lobby: { ports: ["7777:7777"] } },
      acceptance: { gameplay: { fun: true } },
    },
    ["/stack/engine", "/stack/language", "/services/lobby", "/acceptance/gameplay", "/description"],
  ],
  "a cloud of somebody else's": [
    "infrastructure",
    {
      stack: { tool: "pulumi", provider: "azure" },
      services: { web: { ports: ["80:80"], stack: { image: "nginx:1.27.3" } } },
      acceptance: {
        commands: ["pulumi preview → 0"],
        monthly_cost_max_usd: 300,
        http_endpoints: [{ path: "/health" }],
      },
    },
    [
      ...["/stack/tool", "/stack/provider", "/acceptance/commands/0", "/acceptance/http_endpoints/0"],
      "/acceptance/monthly_cost_max_usd",
    ],
  ],
  "a network in PyTorch": [
    "ml-pipeline",
    {
      stack: { language: "python", framework: "pytorch", gpu: "cuda" },
      data: { label: "species", source: "s3://birds", format: "jpeg" },
      model: { layers: 50 },
      acceptance: { metrics: { top1_accuracy: 0.93 }, performance: { response_time_p95_ms: 1 } },
    },
    [
      ...["/stack/framework", "/stack/gpu", "/data/label", "/data/source", "/data/format", "/model/layers"],
      "/acceptance/metrics",
      "/acceptance/performance/response_time_p95_ms",
    ],
  ],
  "a ledger in WPF": [
    "desktop-app",
    {
      stack: { language: "c#", framework: "wpf", runtime: ".net 8" },
      services: { sync: {} },
      acceptance: { starts_in_ms_max: 300 },
    },
    [
      ...["/stack/language", "/stack/framework", "/stack/runtime", "/services/sync", "/acceptance/starts_in_ms_max"],
      "/description",
    ],
  ],
  "salaries in COBOL": [
    "library",
    {
      stack: { language: "cobol", platform: "z/os" },
      acceptance: { tests: [{ type: "unit", framework: "cobol-check" }], bit_identical_to_mainframe: true },
    },
    [
      ...["/stack/language", "/stack/platform", "/acceptance/tests/0", "/acceptance/bit_identical_to_mainframe"],
      "/api_design",
    ],
  ],
  "a handbook with services and features": [
    "documentation",
    { stack: { generator: "sphinx" }, phases: { one: { features: ["Charts"] } }, services: { search: {} } },
    ["/stack/generator", "/phases/one/features/0", "/services/search"],
  ],
  "an API whose steps log in and whose answers have schemas": [
    "api",
    {
      acceptance: {
        actors: { ada: { headers: { "X-Key": "k" } } },
        http_endpoints: [{ path: "/api/items", response_schema: { type: "array" } }],
        integration_tests: [
          {
            name: "rich",
            steps: [{ request: "POST /api/items", as: "ada", keep: { id: "/id" } }, "GET /api/items/{id} → 200"],
          },
        ],
      },
    },
    ["/acceptance/http_endpoints/0", "/acceptance/integration_tests/0"],
  ],
};

test.for(Object.entries(documents))("%s: what is not honoured is in the plan and in the README", async ([, parts]) => {
  const [type, fields, said] = parts;
  const built = await buildDocument(documentOf(type, fields));
  expectWellFormed(built);
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect([...new Set(pointers)].toSorted()).toEqual(expect.arrayContaining(said.toSorted()));
  const readme = built.files.get("README.md")!.text;
  // Of acceptance only the plan speaks: nothing of it may get into the result.
  for (const pointer of pointers) if (!pointer.startsWith("/acceptance/")) expect(readme).toContain(pointer);
});

test("what can be honoured is not reported as missing", async () => {
  const [page, asked] = documents["pages at odd addresses, with odd texts"]!;
  const site = await buildDocument(documentOf(page, asked));
  expect(unmetOf(site).map(({ pointer }) => pointer)).not.toContain("/acceptance/http_endpoints/0");
  const [type, fields] = documents["an API in Go that contradicts itself"]!;
  const built = await buildDocument(documentOf(type, fields));
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  for (const kept of [
    "/acceptance/http_endpoints/0",
    "/acceptance/http_endpoints/2",
    "/acceptance/integration_tests/2",
  ])
    expect(pointers).not.toContain(kept);
});

test.for(["web-app", "game", "mobile-app", "desktop-app", "documentation", "infrastructure"])(
  "a %s is written in JavaScript whatever the stack says, and is checked as such on every push",
  async (type) => {
    const built = await buildDocument(documentOf(type, { stack: { language: "python", framework: "django" } }));
    expect(unmetOf(built)).toContainEqual({
      pointer: "/stack/language",
      reason: "python is not used. It is written in JavaScript.",
    });
    const workflow = parse(built.files.get(".github/workflows/ci.yml")!.text);
    expect(workflow.jobs.check.steps[1].uses).toMatch(/^actions\/setup-node@/);
    expect(Object.values(built.scripts).join(" ")).not.toContain("python");
  },
);

test("the examples are honoured whole", async () => {
  const types = ["api", "cli", "desktop-app", "documentation", "game", "infrastructure", "library", "ml-pipeline"];
  for (const name of [...types, "mobile-app", "web-app"]) {
    const text = await readFile(new URL(`../../../examples/${name}.yaml`, import.meta.url), "utf8");
    expect(unmetOf(await buildDocument(text)), name).toEqual([]);
  }
});

test.for([
  ["desktop-app", { windows: [{ title: "Notes" }] }],
  ["mobile-app", { screens: [{ kind: "list" }, { kind: "summary", figures: { All: "count(item)" } }] }],
] as const)("%s: a model without a usable name is told, and what is usual is kept", async ([type, fields]) => {
  const built = await buildDocument(documentOf(type, { ...fields, data_model: { "'": { fields: { a: "string" } } } }));
  expectWellFormed(built);
  expect(unmetOf(built)).toContainEqual({
    pointer: "/data_model/'",
    reason: "This cannot be the name of something that is kept.",
  });
});
