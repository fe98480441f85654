/** Our proxy with one release of one instance. Its argument is the program's origin. */
import { ReverseProxy } from "../../packages/server/src/deployment/proxy/index.ts";

const proxy = new ReverseProxy({ stripCookies: ["session"] });
const port = await proxy.listen({ host: "127.0.0.1", port: 0 });
proxy.route([{ release: "v1", origins: [process.argv[2]!], weight: 1 }]);
process.stdout.write(`Ours is ready at http://127.0.0.1:${port}\n`);
