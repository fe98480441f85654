export { Deployments } from "./deploy-project.ts";
