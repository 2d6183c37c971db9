export const eventTypes = [
  'channel-create',
  'channel-answer',
  'channel-hangup',
  'call-recorded',
  'call-priced',
] as const;

export type EventType = (typeof eventTypes)[number];

export const defaultEventTypes: readonly EventType[] = ['channel-answer', 'channel-hangup'];

export const isEventType = (value: unknown): value is EventType => eventTypes.includes(value as EventType);
