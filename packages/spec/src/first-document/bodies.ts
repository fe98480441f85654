import type { BuiltInType } from "../outcome-types/index.ts";

interface Told {
  readonly id: string;
  readonly language: string;
}

const checks = "# What must be true of the result: Slipway checks every line against the real thing.";

/** What comes after the head of a first document, by type: small, and complete. */
export const bodies: Readonly<Record<BuiltInType, (told: Told) => string>> = {
  api: () => `# What it keeps. Each resource is served at its path: lists, single records, changes.
data_model:
  note:
    path: /notes
    fields:
      title: { type: string, required: true, max_length: 100 }
      body: { type: text }
      status: { type: enum, values: [open, done], default: open }

${checks}
acceptance:
  http_endpoints:
    - { path: /health, status: 200 }
    - { path: /notes, method: POST, body: { title: Milk }, status: 201, response_contains: Milk }
    - { path: /notes, method: POST, body: {}, status: 422 }
  integration_tests:
    - name: A note is kept until it is deleted
      steps:
        - 'POST /notes {"title": "Milk"} → 201'
        - GET /notes/{id} → 200
        - DELETE /notes/{id} → 204
        - GET /notes/{id} → 404
`,
  "web-app": () => `# What it keeps.
data_model:
  task:
    title_field: title
    fields:
      title: { type: string, label: Title, required: true, max_length: 100 }
      status: { type: enum, label: Status, values: [open, done], default: open }

# Its pages, in the order of the menu.
pages:
  - { path: /, kind: list, of: task, title: Tasks, columns: [title, status] }
  - { path: /new, kind: form, of: task, title: New task, fields: [title] }

${checks}
acceptance:
  http_endpoints:
    - { path: /, status: 200, response_contains: Tasks }
    - { path: /new, status: 200 }
    - { path: /health, status: 200 }
`,
  cli: ({ id }) => `# The program and its commands. A result is an expression over the arguments.
cli:
  binary: ${id}
  version: "1.0.0"
  commands:
    - name: area
      summary: The area of a rectangle
      arguments:
        - { name: width, type: number, min: 0 }
        - { name: height, type: number, min: 0 }
      result: width * height
      prints: "{result}"
      example: ${id} area 3 4

${checks}
acceptance:
  commands:
    - ./bin/${id} --help → 0
    - { command: ./bin/${id} area 3 4, stdout_contains: "12" }
    - { command: ./bin/${id} area three 4, exit_code: 2, stderr_contains: width }
`,
  game: () => `# The rules: where it is played, who plays, what to gather, what to avoid, and how it ends.
gameplay:
  genre: collect-and-avoid
  board: { columns: 16, rows: 12 }
  lives: 3
  player: { name: cat, start: { column: 8, row: 6 } }
  collectibles:
    - { name: mouse, count: 5, points: 10 }
  hazards:
    - { name: dog, count: 2, moves: patrol, axis: horizontal, tiles_per_step: 0.5, on_touch: lose_life }
  goal:
    win_when: { collected: mouse, count: 5 }

${checks}
acceptance:
  http_endpoints:
    - { path: /, status: 200, response_contains: "<canvas" }
    - { path: /health, status: 200 }
`,
  library: ({ id }) => `# What it offers. A function is found by its examples; all of them must hold.
api_design:
  package: ${id}
  version: "1.0.0"
  functions:
    - name: slugify
      summary: Turns a text into lower-case words joined by hyphens.
      parameters:
        - { name: text, type: string, description: Any text }
      returns: { type: string }
      examples:
        - { args: [Hello World], returns: hello-world }
        - { args: ["Crème Brûlée, twice!"], returns: creme-brulee-twice }
        - { args: [""], returns: "" }

${checks}
acceptance:
  commands:
    - npm test → 0
`,
  "ml-pipeline": ({ id, language }) => {
    const isPython = language === "python";
    const start = isPython ? `python3 -m ${packageOf(id)}` : "node src/main.js";
    return `${isPython ? `pipeline:\n  package: ${packageOf(id)}\n\n` : ""}# Rows to learn from. Replace synthetic by your own: "file: data/rows.csv", or "csv: |" with the rows below it.
data:
  label: late
  synthetic:
    rows: 400
    seed: 7
    features:
      - { name: wind, type: number, distribution: uniform, min: 0, max: 30 }
      - { name: rain, type: boolean, probability: 0.3 }
    rule: { gives: boolean, intercept: -16, weights: { wind: 1, rain: 4 }, noise: 0.5 }

# Evaluating fails unless the model beats the baseline on rows that neither has seen.
model:
  type: logistic_regression
  baseline: most_usual

${checks}
acceptance:
  commands:
    - { command: ${start} train, timeout_seconds: 60 }
    - { command: ${start} evaluate, stdout_contains: accuracy }
`;
  },
  "mobile-app": () => `# What it keeps, on the phone itself.
data_model:
  item:
    title_field: name
    fields:
      name: { type: string, label: Name, required: true, max_length: 60 }
      bought: { type: boolean, label: Bought, default: false }

screens:
  - id: list
    path: /
    title: Shopping
    kind: list
    of: item
    row: { title: name }
    tap: { opens: item }
    empty: Nothing to buy.
  - { id: item, path: /item, title: Item, kind: form, of: item, fields: [name, bought], actions: [save, delete] }
navigation: { tabs: [list], add_button: item }

${checks}
acceptance:
  http_endpoints:
    - { path: /, status: 200, response_contains: Shopping }
    - { path: /manifest.webmanifest, status: 200 }
    - { path: /health, status: 200 }
`,
  "desktop-app": () => `# What it keeps, in a folder of this computer.
data_model:
  note:
    title_field: title
    fields:
      title: { type: string, label: Title, required: true, max_length: 100 }
      text: { type: text, label: Text }

export: [csv]

windows:
  - id: main
    title: Notes
    list: { of: note, title: title, search: true }
    detail: { fields: [title, text] }
menus:
  - label: File
    items:
      - { label: New note, does: create, of: note, shortcut: Alt+N }

${checks}
acceptance:
  http_endpoints:
    - { path: /, status: 200 }
    - { path: /health, status: 200 }
`,
  infrastructure: () => `# What runs: each service is an image, and what it needs.
services:
  site:
    stack: { image: "nginx:1.27.3-alpine" }
    ports: ["8080:80"]
    public: true
    healthcheck: { path: /, port: 80 }
    limits: { memory_mb: 128, cpu: 0.25 }

${checks}
acceptance:
  files_exist: [compose.yaml]
  commands:
    - npm run check → 0
`,
  documentation: () => `# The pages, written in Markdown.
content:
  - id: index
    path: /
    title: Welcome
    summary: What this is about.
    body: |
      Say in one sentence what the reader gets here. Then read [how to start](/start/).
  - id: start
    path: /start/
    title: Getting started
    summary: The first five minutes.
    body: |
      ## Install
      One command, and what it prints.

${checks}
acceptance:
  http_endpoints:
    - { path: /, status: 200, response_contains: Welcome }
    - { path: /start/, status: 200, response_contains: Install }
    - { path: /nowhere/, status: 404 }
`,
};

/** A name that Python can import. */
function packageOf(id: string): string {
  return id.replaceAll("-", "_");
}
