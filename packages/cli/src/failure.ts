/** What the process ends with; the README lists them. */
export const exitCodes = {
  done: 0,
  refused: 1,
  usage: 2,
  notLoggedIn: 3,
  notFound: 4,
  unreachable: 5,
  notAnswered: 6,
  unhealthy: 7,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the command with a message in the user's language. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = exitCodes.refused,
    /** What to do about it. */
    readonly advice?: string,
  ) {
    super(message);
  }
}
