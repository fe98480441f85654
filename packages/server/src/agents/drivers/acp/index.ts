export { acpDriver } from "./driver.ts";
