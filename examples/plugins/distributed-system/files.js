/** Every file of the result, by its path. The same document gives the same bytes. */
export function filesOf(document) {
  const services = servicesOf(document);
  const { gateway, restart = "on-failure" } = document.topology;
  return {
    "package.json": json({ name: "system", private: true, type: "module", scripts: { test: "node --test" } }),
    "system.json": json({ gateway, services }),
    "launch.mjs": launcher,
    "lib/serve.mjs": server,
    "compose.yaml": compose(services, gateway, restart),
    "test/system.test.mjs": systemTest,
    "README.md": readme(document, services, gateway),
    ...Object.fromEntries(Object.keys(services).map((name) => [`services/${folderOf(name)}/main.mjs`, main(name)])),
  };
}

/** What is known of each service: its health endpoint, whom it needs, and how many of it run. */
function servicesOf({ services = {}, topology, acceptance }) {
  const checks = acceptance.service_health ?? [];
  return Object.fromEntries(
    Object.entries(services).map(([name, { dependencies = [], ports = [] }]) => {
      const health = checks.find((check) => check.service === name)?.endpoint ?? "/health";
      const replicas = topology.replicas?.[name] ?? 1;
      return [name, { folder: folderOf(name), health, dependencies, ports, replicas }];
    }),
  );
}

/** Names of services are any texts: only letters and digits get into paths and host names. */
function folderOf(name) {
  const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
  const sum = [...name].reduce((total, letter) => (total * 31 + letter.codePointAt(0)) % 65_536, 7);
  return slug === name ? slug : `${slug || "service"}-${sum.toString(36)}`;
}

function json(value) {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function main(name) {
  return `import { start } from "../../lib/serve.mjs";

await start(${JSON.stringify(name)}, { port: Number(process.env.PORT ?? 8080), host: process.env.HOST ?? "0.0.0.0" });
`;
}

/** JSON is YAML: values are written so, whatever they hold. */
function compose(services, gateway, restart) {
  const entries = Object.entries(services).map(([name, { folder, health, dependencies, ports, replicas }]) => {
    const addresses = Object.fromEntries(
      dependencies.filter((other) => services[other]).map((other) => [other, `http://${services[other].folder}:8080`]),
    );
    const others = name === gateway ? Object.keys(services).filter((other) => other !== name) : [];
    for (const other of others) addresses[other] = `http://${services[other].folder}:8080`;
    const waits = Object.keys(addresses).map((other) => [services[other].folder, { condition: "service_healthy" }]);
    const probe = `fetch("http://127.0.0.1:8080" + ${JSON.stringify(health)}).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))`;
    const service = {
      image: "node:24-alpine",
      working_dir: "/system",
      volumes: [".:/system:ro"],
      command: ["node", `services/${folder}/main.mjs`],
      restart,
      environment: { ADDRESSES: JSON.stringify(addresses) },
      ...(ports.length > 0 && { ports: ports.map((port) => `${port.split(":")[0]}:8080`) }),
      ...(waits.length > 0 && { depends_on: Object.fromEntries(waits) }),
      ...(replicas > 1 && { deploy: { replicas } }),
      healthcheck: { test: ["CMD", "node", "-e", probe], interval: "5s", retries: 5 },
    };
    return `  ${folder}: ${JSON.stringify(service)}\n`;
  });
  return `services:\n${entries.join("")}`;
}

const server = `import { createServer } from "node:http";
import { readFileSync } from "node:fs";

const system = JSON.parse(readFileSync(new URL("../system.json", import.meta.url), "utf8"));

/** Starts a service: it answers for its health, and the gateway passes on /services/<name>/… to the others. */
export async function start(name, { port, host, addresses = JSON.parse(process.env.ADDRESSES ?? "{}") }) {
  const { health, dependencies } = system.services[name];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url, "http://service");
    const send = (status, body) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    const [, first, other, ...rest] = pathname.split("/");
    try {
      if (pathname === health) {
        const states = await Promise.all(dependencies.map((one) => isHealthy(one, addresses)));
        const isWell = states.every(Boolean);
        return send(isWell ? 200 : 503, { service: name, status: isWell ? "ok" : "waiting" });
      }
      if (pathname === "/") return send(200, { service: name, dependencies });
      const target = addresses[decodeURIComponent(other ?? "")];
      if (name === system.gateway && first === "services" && target !== undefined) {
        const answer = await fetch(target + "/" + rest.join("/"));
        return send(answer.status, await answer.json());
      }
      send(404, { error: "There is nothing here." });
    } catch {
      send(502, { error: "Another service does not answer." });
    }
  });
  await new Promise((resolve, reject) => server.once("error", reject).listen(port, host, resolve));
  return server;
}

async function isHealthy(name, addresses) {
  if (addresses[name] === undefined) return false;
  const answer = await fetch(addresses[name] + system.services[name].health).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
`;

const launcher = `import { readFileSync } from "node:fs";
import { start } from "./lib/serve.mjs";

/** All services on one machine, without containers: the gateway on PORT, the others on ports of their own. */
export async function launch({ port, host }) {
  const { gateway, services } = JSON.parse(readFileSync(new URL("system.json", import.meta.url), "utf8"));
  const addresses = {};
  const servers = [];
  const add = async (name, at) => {
    const server = await start(name, { port: at, host, addresses });
    servers.push(server);
    addresses[name] = "http://" + host + ":" + server.address().port;
  };
  for (const name of Object.keys(services)) if (name !== gateway) await add(name, 0);
  await add(gateway, port);
  return { url: addresses[gateway], stop: () => servers.forEach((server) => server.close()) };
}

if (process.argv[1] === import.meta.filename)
  await launch({ port: Number(process.env.PORT ?? 8080), host: process.env.HOST ?? "127.0.0.1" });
`;

const systemTest = `import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { launch } from "../launch.mjs";

const { gateway, services } = JSON.parse(readFileSync(new URL("../system.json", import.meta.url), "utf8"));
const { url, stop } = await launch({ port: 0, host: "127.0.0.1" });
after(stop);

for (const [name, { health }] of Object.entries(services)) {
  test(name + " is healthy, as seen through the gateway", async () => {
    const way = name === gateway ? health : "/services/" + encodeURIComponent(name) + health;
    const answer = await fetch(url + way);
    assert.equal(answer.status, 200);
    assert.deepEqual(await answer.json(), { service: name, status: "ok" });
  });
}

test("what nobody serves is not found", async () => {
  assert.equal((await fetch(url + "/nowhere/at/all")).status, 404);
});
`;

function readme({ name, description }, services, gateway) {
  const plain = (text) => text.replaceAll(/[<>[\]`|*_#\\\r\n]+/g, " ").trim();
  const rows = Object.entries(services).map(
    ([service, { health, dependencies, replicas }]) =>
      `| ${plain(service)}${service === gateway ? " (gateway)" : ""} | ${plain(health)} | ${plain(dependencies.join(", ")) || "-"} | ${replicas} |`,
  );
  return `# ${plain(name)}

${plain(description)}

| service | health | needs | runs |
|---|---|---|---|
${rows.join("\n")}

All in one process: \`node launch.mjs\`, with PORT and HOST. In containers: \`docker compose up\`. Tests: \`node --test\`.
`;
}
