/** The first half of our advisory locks: "slip" in ASCII, to avoid collisions with other users of the database. */
const family = 0x736c6970;

/** Our advisory locks, each as the two numbers that identify it in Postgres. */
export const advisoryLocks = {
  folder: [family, 1],
  migrations: [family, 2],
  webhooks: [family, 3],
  audit: [family, 4],
  logs: [family, 5],
} as const satisfies Record<string, readonly [number, number]>;
