import { Dialler } from "./dialler.ts";

/** Calls addresses from the operator's settings: any but the metadata services of clouds. */
export function operatorsDialler(): Dialler {
  return new Dialler({
    allowsLoopback: true,
    networks: ["0.0.0.0/0", "::/0"],
    connectMs: 10_000,
    readMs: 600_000,
  });
}
