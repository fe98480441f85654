/** Our proxy, told by the benchmark where to route. */
import { ReverseProxy } from "../../packages/server/src/deployment/proxy/index.ts";
import { serve } from "./messages.ts";

const proxy = new ReverseProxy();
const breach = Promise.withResolvers<{ ms: number; reason: string }>();

serve({
  "proxy listen": () => proxy.listen({ host: "127.0.0.1", port: 0 }),
  "proxy route": ({ backends, canary }) => {
    const cpu = process.threadCpuUsage();
    const start = performance.now();
    const onBreach = (reason: string) => breach.resolve({ ms: performance.now() - start, reason });
    proxy.route(backends, canary && { ...canary, onBreach });
    const ms = performance.now() - start;
    const { user, system } = process.threadCpuUsage(cpu);
    return { ms, cpuMs: (user + system) / 1_000 };
  },
  "proxy breach": () => breach.promise,
  "proxy drain": ({ release, origin }) => proxy.drained(release, 30_000, origin),
  "proxy traffic": () => [...proxy.traffic()],
});
