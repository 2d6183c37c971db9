/** How the stack reports its progress, for example to the terminal. */
export interface Reporter {
  /** The step that takes time now. */
  progress(message: string): void;
  /** An event that the user should see. */
  event(message: string): void;
  /** A line of a process's log. */
  line(process: string, line: string): void;
}

export const silentReporter: Reporter = { progress: () => undefined, event: () => undefined, line: () => undefined };
