/**
 * The beginning of a command line that starts a program in a folder; it ends with 126 where that cannot be entered. Node enters
 * the folder of a child before it goes on, in its only thread: the disk of that folder, if it never answers, would stop us.
 */
export function startingIn(folder: string): [program: string, ...args: string[]] {
  return ["/bin/sh", "-c", 'cd -- "$1" || exit 126; shift; exec "$@"', "sh", folder];
}
