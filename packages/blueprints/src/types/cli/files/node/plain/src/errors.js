import { program } from "./program.js";

/** Something that could not be done, told in one line and without a stack. */
export class Failure extends Error {
  exitCode = program.exitCodes.failed;
}

/** The command line itself is wrong. */
export class UsageError extends Failure {
  exitCode = program.exitCodes.usage;
}
