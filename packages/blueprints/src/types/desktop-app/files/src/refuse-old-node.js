/** Ends the program where Node is too old to run it: it lacks SQLite, which everything that is kept needs. */
export function refuseOldNode(node = process) {
  if (node.getBuiltinModule?.("node:sqlite") !== undefined) return;
  console.error(`This needs Node 22.13 or newer, and this is ${node.version}: install one from https://nodejs.org.`);
  node.exit(1);
}
