/** Where a stream goes on: at a message of the event stream, behind so many of its events. */
export interface Position {
  sequence: number;
  skip: number;
}

/** The position in one particular event stream: one that was created anew begins to count again. */
export interface EventId extends Position {
  incarnation: string;
}

/** The id after which a client goes on at the position. Clients treat it as opaque. */
export function writeEventId(incarnation: string, { sequence, skip }: Position): string {
  const id = `${incarnation}-${(sequence - 1).toString(36)}`;
  return skip === 0 ? id : `${id}-${skip}`;
}

const pattern = /^([0-9a-z]{1,12})-([0-9a-z]{1,10})(?:-([1-9][0-9]{0,3}))?$/;

/** Undefined if the gateway never wrote such an id. */
export function readEventId(text: string): EventId | undefined {
  const [, incarnation, last, skip] = pattern.exec(text) ?? [];
  const sequence = Number.parseInt(last ?? '', 36) + 1;
  return incarnation === undefined || !Number.isSafeInteger(sequence)
    ? undefined
    : { incarnation, sequence, skip: Number(skip ?? 0) };
}
