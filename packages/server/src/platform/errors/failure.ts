/** Why something did not work out, as projects show it: a code for programs, a message for people. */
export interface Failure {
  readonly code: string;
  readonly message: string;
}
