import { Dialler } from "./dialler.ts";

/** Goes to where the operator's own settings lead; only a cloud's metadata is nobody's to see. */
export function operatorsDialler(): Dialler {
  return new Dialler({
    allowsLoopback: true,
    networks: ["0.0.0.0/0", "::/0"],
    connectMs: 10_000,
    readMs: 600_000,
  });
}
