export type { CanaryLimits } from "./canary-judge.ts";
export { type Backend, ReverseProxy, type ReverseProxyOptions } from "./reverse-proxy.ts";
export type { ReleaseTraffic } from "./traffic.ts";
