/** An internal platform: a catalogue of components, a portal that shows it, and rules that every component must keep. */
const platform = {
  name: "platform",
  languages: ["javascript"],
  schema: {
    type: "object",
    properties: {
      components: {
        type: "object",
        description: "What teams run on the platform, by name.",
        additionalProperties: {
          type: "object",
          properties: {
            owner: { type: "string", minLength: 1, description: "The team that answers for it." },
            tier: { enum: ["critical", "standard", "experimental"], description: "How much depends on it." },
            uses: { type: "array", items: { type: "string" }, description: "Other components." },
            runbook: { type: "string", minLength: 1, description: "Where to look when it is down." },
          },
          required: ["owner"],
        },
      },
      rules: {
        type: "object",
        description: "What every component must keep.",
        properties: {
          critical_needs_runbook: { type: "boolean" },
          critical_uses_critical: { type: "boolean" },
        },
        default: { critical_needs_runbook: true, critical_uses_critical: true },
      },
    },
    required: ["components"],
  },
  plan: (document) => ({
    scripts: { test: "node --test", start: "node portal.mjs" },
    unmet: [...brokenRules(document), ...notBuilt(document)],
    tasks: [
      { id: "catalogue", title: "The catalogue and its rules" },
      { id: "portal", title: "The portal, with its tests", depends_on: ["catalogue"], estimated_hours: 2 },
    ],
  }),
  build: async (task, workspace) => {
    const { document } = workspace;
    const catalogue = { name: document.name, components: document.components, rules: document.rules };
    // A document that names tasks of its own has others than ours: then each of them builds all of it.
    if (task.id !== "portal") {
      await workspace.write("catalogue.json", `${JSON.stringify(catalogue, undefined, 2)}\n`);
      await workspace.write("rules.mjs", `${brokenRules}\n\nexport { brokenRules };\n`);
    }
    if (task.id !== "catalogue") {
      await workspace.write("portal.mjs", portal);
      await workspace.write("test/platform.test.mjs", tests);
      await workspace.write("README.md", "# A platform\n\nThe catalogue is `catalogue.json`; `node portal.mjs` shows it on PORT.\n");
    }
    // A task that changes nothing counts as failed: each leaves a note.
    await workspace.write(`docs/tasks/${encodeURIComponent(task.id)}.md`, `# ${task.title.replaceAll(/\s+/g, " ")}\n`);
  },
};

/** @type {import("@slipway/blueprints").Plugin} */
export default { api_version: "v1", name: "slipway-plugin-platform", version: "1.0.0", outcome_types: [platform] };

/** What of the catalogue breaks its own rules. The result holds this very function, and its tests call it. */
function brokenRules({ components, rules }) {
  return Object.entries(components).flatMap(([name, { tier = "standard", uses = [], runbook }]) => {
    const pointer = `/components/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const broken = [];
    for (const [index, other] of uses.entries()) {
      const place = `${pointer}/uses/${index}`;
      if (!Object.hasOwn(components, other)) broken.push({ pointer: place, reason: `There is no component '${other}'.` });
      else if (rules.critical_uses_critical && tier === "critical" && components[other].tier !== "critical")
        broken.push({ pointer: place, reason: `'${name}' is critical and '${other}' is not.` });
    }
    if (rules.critical_needs_runbook && tier === "critical" && runbook === undefined)
      broken.push({ pointer, reason: `'${name}' is critical and has no runbook.` });
    return broken;
  });
}

function notBuilt({ acceptance }) {
  return ["integration_tests", "commands"]
    .filter((key) => acceptance[key] !== undefined && acceptance[key].length > 0)
    .map((key) => ({ pointer: `/acceptance/${key}`, reason: "The portal only shows the catalogue." }));
}

const portal = `import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const catalogue = JSON.parse(readFileSync(new URL("catalogue.json", import.meta.url), "utf8"));
const escape = (text) => String(text).replaceAll(/[&<>"']/g, (sign) => "&#" + sign.charCodeAt(0) + ";");

export function serve({ port, host }) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://portal");
    const send = (status, type, body) => response.writeHead(status, { "content-type": type }).end(body);
    if (pathname === "/health") return send(200, "application/json", '{"status":"ok"}');
    if (pathname === "/components") return send(200, "application/json", JSON.stringify(catalogue.components));
    if (pathname === "/") return send(200, "text/html; charset=utf-8", page());
    send(404, "application/json", '{"error":"There is nothing here."}');
  });
  return new Promise((resolve, reject) => server.once("error", reject).listen(port, host, () => resolve(server)));
}

function page() {
  const rows = Object.entries(catalogue.components).map(
    ([name, { owner, tier = "standard", uses = [] }]) =>
      "<tr><th scope=row>" + [name, owner, tier, uses.join(", ")].map(escape).join("<td>"),
  );
  return "<!doctype html><html lang=en><meta charset=utf-8><title>" + escape(catalogue.name) + "</title><h1>" +
    escape(catalogue.name) + "</h1><table><tr><th>Component<th>Owner<th>Tier<th>Uses" + rows.join("") + "</table>";
}

if (process.argv[1] === import.meta.filename)
  await serve({ port: Number(process.env.PORT ?? 8080), host: process.env.HOST ?? "127.0.0.1" });
`;

const tests = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { serve } from "../portal.mjs";
import { brokenRules } from "../rules.mjs";

const catalogue = JSON.parse(readFileSync(new URL("../catalogue.json", import.meta.url), "utf8"));
const server = await serve({ port: 0, host: "127.0.0.1" });
after(() => server.close());
const url = "http://127.0.0.1:" + server.address().port;

test("every component keeps the rules", () => assert.deepEqual(brokenRules(catalogue), []));

test("the portal shows every component", async () => {
  assert.deepEqual(await (await fetch(url + "/components")).json(), catalogue.components);
  assert.equal((await fetch(url + "/")).status, 200);
});

test("what is not there is not found", async () => assert.equal((await fetch(url + "/nowhere")).status, 404));
`;
