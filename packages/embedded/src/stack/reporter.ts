/** How the stack tells what it does; the terminal is one of those who listen. */
export interface Reporter {
  /** What takes time just now. */
  progress(message: string): void;
  /** Something happened that a person wants to know. */
  event(message: string): void;
  /** A line of a process's log. */
  line(process: string, line: string): void;
}

export const silentReporter: Reporter = { progress: () => undefined, event: () => undefined, line: () => undefined };
