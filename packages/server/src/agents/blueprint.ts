import { simpleDriver } from "./simple-driver.ts";

/**
 * The agent that every installation has. It plans as the document itself says; verifying and deploying are the service's own
 * work. It builds nothing yet: it has no capabilities, so nobody asks it to.
 */
export const blueprintDriver = simpleDriver("blueprint", async ({ task }) =>
  task.role === "planner"
    ? { is: "done" }
    : { is: "failed", code: "cannot_build", message: "There is no blueprint for this kind of software." },
);
