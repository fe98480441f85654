export { isLoopback } from "./allowed-address.ts";
export { Dialler, DialRefusal } from "./dialler.ts";
