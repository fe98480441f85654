/** Our proxy, told by the benchmark where to route. */
import { ReverseProxy } from "../../packages/server/src/deployment/proxy/index.ts";
import { serve } from "./messages.ts";

const proxy = new ReverseProxy();
const breach = Promise.withResolvers<{ ms: number; reason: string }>();

serve({
  "proxy listen": () => proxy.listen({ host: "127.0.0.1", port: 0 }),
  "proxy route": ({ backends, canary }) => {
    const start = performance.now();
    const onBreach = (reason: string) => breach.resolve({ ms: performance.now() - start, reason });
    proxy.route(backends, canary && { ...canary, onBreach });
    return { ms: performance.now() - start };
  },
  "proxy breach": () => breach.promise,
  "proxy drain": ({ release, origin }) => proxy.drained(release, 30_000, origin),
  "proxy traffic": () => [...proxy.traffic()],
});
