/** The longest address of a Unix socket, without its terminating zero. */
export const maxSocketAddressBytes = process.platform === "darwin" ? 103 : 107;
