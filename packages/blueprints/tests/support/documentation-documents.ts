/** Documentation of a product in two versions and two languages, with an API reference, redirects and a page for what is not there. */
export const product = `spec_version: "1.0.0"
id: harbour-docs
name: Harbour
description: The documentation of Harbour, a small queue, in two versions and two languages.
outcome_type: documentation
stack: { language: javascript, format: markdown }
site:
  title: Harbour documentation
  licence: CC-BY-4.0
  address: https://docs.harbour.example
  theme: { accent: "#0a6", dark_mode: true, min_contrast: 5 }
  search: { fields: [title, headings, text] }
  features: [table_of_contents, previous_next, heading_anchors, copy_buttons]
  external_links: false
  not_found: { title: Lost at sea, body: "Back to the [start](/)." }
versions:
  - { name: "1.0", notice: Supported until May. }
  - { name: "2.0", current: true }
languages:
  - { code: de, title: Deutsch, texts: { search: Suche, next: Weiter, previous: Zurück, old_version: Dies ist eine alte Version. } }
navigation:
  - { title: Start, titles: { de: Anfang }, pages: [index, install] }
  - { title: Reference, pages: [api, streams] }
content:
  - id: index
    path: /
    title: Welcome
    body: |
      Harbour keeps messages. Start with the [installation](/install/), then read the [reference](/api/).
  - id: index
    language: de
    path: /
    title: Willkommen
    body: Harbour bewahrt Nachrichten auf. Weiter mit [Installation](/install/).
  - id: install
    title: Installation
    versions: ["2.0"]
    redirect_from: [/setup/]
    body: |
      \`\`\`sh
      npm install harbour@2
      \`\`\`
    sections:
      - { title: Check it, body: "Run \`harbour --version\`." }
  - id: install
    title: Installation
    versions: ["1.0"]
    body: |
      \`\`\`sh
      npm install harbour@1
      \`\`\`
  - id: install
    language: de
    title: Installation
    body: "Siehe [Anfang](/)."
  - { id: streams, title: Streams, versions: ["2.0"], body: "New in 2.0. See [connect](/api/#connect)." }
api:
  - name: connect
    signature: connect(url, options)
    description: Opens a connection to a harbour.
    parameters:
      - { name: url, type: string, required: true, description: Where it is. }
      - { name: retries, type: number, default: "3", description: How often it tries. }
    returns: A \`Connection\`.
    errors: [{ code: ECONNREFUSED, description: Nobody listens there. }]
    example: const harbour = await connect("http://localhost:7000");
    example_language: js
    since: "1.0"
  - { name: stream, signature: stream(name), description: "Reads without end.", since: "2.0", versions: ["2.0"] }
  - { name: poll, signature: poll(name), description: Asks once., deprecated: "Use \`stream\`.", since: "1.0" }
redirects:
  /getting-started/: /install/
  /1.0/setup/: /1.0/install/
acceptance:
  tests:
    - { file: "test/**/*.test.js", type: unit, framework: "node:test", coverage_threshold: 0.85 }
  http_endpoints:
    - { path: /, status: 200, response_contains: [Harbour, "2.0", "1.0"] }
    - { path: /1.0/install/, status: 200, response_contains: harbour@1 }
    - { path: /install/, status: 200, response_contains: harbour@2 }
    - { path: /api/, status: 200, response_contains: ["<table", ECONNREFUSED, stream] }
    - { path: /getting-started/, status: 301 }
    - { path: /nowhere/, status: 404, response_contains: Lost at sea }
`;
