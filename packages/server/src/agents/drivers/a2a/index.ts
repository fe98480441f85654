export { a2aDriver } from "./driver.ts";
