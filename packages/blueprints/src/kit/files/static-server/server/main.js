import { createStaticServer } from "./static-server.js";
import { site } from "./site.js";

const port = Number(process.env.PORT ?? 3000);
const host = process.env.HOST ?? "127.0.0.1";

const server = createStaticServer(site);
server.listen(port, host, () => {
  console.log(`Open http://${host}:${server.address().port}/`);
});

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    server.close();
    server.closeAllConnections();
  });
}
