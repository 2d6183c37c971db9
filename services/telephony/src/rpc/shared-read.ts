import { runInScope } from '@sabia/service-kit/request-scope';
import type { RequestScope } from '@sabia/service-kit/request-scope';

/** What several ask alike, whoever they are, has one answer. */
export type ShareRead<Answer> = (scope: RequestScope, question: string, read: () => Promise<Answer>) => Promise<Answer>;

interface Read<Answer> {
  answer: Promise<Answer>;
  /** How many still want it. */
  asking: number;
  abort: AbortController;
}

/**
 * The same question that several ask in one turn of the event loop is answered by one read, which begins at the end of that turn: no
 * answer is older than its question, and the busier the process is, the less each costs. The read is cancelled when nobody is left who asked.
 */
export function shareReads<Answer>(): ShareRead<Answer> {
  const gathering = new Map<string, Read<Answer>>();

  function gather(scope: RequestScope, question: string, read: () => Promise<Answer>): Read<Answer> {
    const abort = new AbortController();
    const turnEnds = new Promise((resolve) => setImmediate(resolve));
    const answer = turnEnds.then(() => {
      close(question, gathered);
      return runInScope({ ...scope, signal: abort.signal }, read);
    });
    const gathered: Read<Answer> = { answer, asking: 0, abort };
    gathering.set(question, gathered);
    return gathered;
  }

  /** Nobody joins any more. */
  function close(question: string, gathered: Read<Answer>): void {
    if (gathering.get(question) === gathered) {
      gathering.delete(question);
    }
  }

  return async (scope, question, read) => {
    const { signal } = scope;
    signal.throwIfAborted();
    const joined = gathering.get(question) ?? gather(scope, question, read);
    joined.asking += 1;
    const leave = (): void => {
      joined.asking -= 1;
      if (joined.asking === 0) {
        close(question, joined);
        joined.abort.abort(signal.reason);
      }
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await joined.answer;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };
}
