import { status, urlPath } from "./http.ts";
import {
  anything,
  boolean,
  either,
  list,
  number,
  object,
  oneOf,
  openObject,
  sameAs,
  string,
  withDefault,
} from "./shape.ts";

const healthCheck = object("A health check of the deployed software.", {
  service: string("Service it is for, a key of `services`.", { minLength: 1 }),
  path: withDefault(urlPath("Path to request."), "/health"),
  endpoint: sameAs("path", urlPath("")),
  status: withDefault(status, 200),
  expected_status: sameAs("status", status),
  interval_seconds: withDefault(number("Seconds between two checks.", { exclusiveMinimum: 0, maximum: 3600 }), 5),
  timeout_seconds: withDefault(number("Seconds that one check may take.", { exclusiveMinimum: 0, maximum: 600 }), 5),
});

export const deployment = object("How the result goes live.", {
  strategy: withDefault(
    oneOf("How a new version takes over from the old one.", {
      blue_green: "The new version starts beside the old one, and all requests switch at once.",
      rolling: "Instances are replaced one by one.",
      canary: "A part of the requests goes to the new version first.",
      recreate: "The old version stops, then the new one starts.",
    }),
    "blue_green",
  ),
  orchestrator: string("What runs the deployed software; picks the target.", {
    minLength: 1,
    examples: ["process", "compose", "kubernetes"],
  }),
  platforms: list(
    "Platforms the result may be deployed to.",
    string("A platform.", { minLength: 1, examples: ["local", "kubernetes"] }),
  ),
  health_checks: either("How to tell that the deployed software is healthy.", [
    list("Health checks, all of which must pass.", healthCheck),
    healthCheck,
    boolean("Whether health is checked, with the defaults."),
  ]),
  rollback: either("What happens when a deployment fails.", [
    openObject("Settings of the rollback.", { examples: [{ automatic: true }] }),
    boolean("Whether a failed deployment is rolled back."),
    string("The name of a way to roll back.", { minLength: 1 }),
  ]),
  monitoring: either("What is monitored after the deployment.", [
    openObject("Settings of the monitoring, by name."),
    list("What is monitored.", anything("A tool or a measurement.")),
    boolean("Whether the deployment is monitored."),
  ]),
  canary: either("How a canary deployment works.", [
    openObject("Settings of the canary.", { examples: [{ percent: 10, minutes: 5 }] }),
    boolean("Whether a canary comes first."),
  ]),
});
