/** Why something failed: a code for programs, a message for people. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}
