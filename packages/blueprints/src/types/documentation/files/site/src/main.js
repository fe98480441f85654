import { buildSite } from "./build-site.js";
import { loadSite } from "./load-site.js";
import { createSiteServer } from "./server.js";

const port = Number(process.env.PORT ?? 3000);
const host = process.env.HOST ?? "127.0.0.1";

const site = await loadSite();
const server = createSiteServer(buildSite(site), site.settings.redirects);
server.listen(port, host, () => {
  console.log(`Open http://${host}:${server.address().port}/`);
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
