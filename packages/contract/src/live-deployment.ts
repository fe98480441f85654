import { Id } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Type } from "./schema.ts";

export const DeploymentStatus = Type.Enum(["starting", "live", "unhealthy", "stopped"], {
  description: "What was seen last.",
});

/** What a project shows of the deployment whose live version it made. */
export const LiveDeployment = Type.Object(
  {
    deployment_id: Id("deployment", "The deployment's id."),
    environment: Type.String({ description: "The environment; `default` for the document's top level." }),
    version: Type.String({ description: "The version that the project made." }),
    url: StringOrNull("Its address, which stays the same. Null if it is not reached over HTTP."),
    usage: Type.String({ description: "How to use it, in one line." }),
    status: DeploymentStatus,
  },
  { description: "The deployment whose live version the project made." },
);
