/** First half of our advisory locks: "slip" in ASCII, so that other users of the same database do not meet us. */
const family = 0x736c6970;

/** The advisory locks that we take, each as the two numbers that Postgres knows it by. */
export const advisoryLocks = {
  folder: [family, 1],
  migrations: [family, 2],
  webhooks: [family, 3],
} as const satisfies Record<string, readonly [number, number]>;
