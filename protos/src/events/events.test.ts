import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CallRated } from '../../generated/sabia/billing/v1/events';
import { billingEvents } from './billing';
import { defineEvent } from './define-event';
import type { EventType } from './define-event';
import { extensionsEvents } from './extensions';
import { identityEvents } from './identity';
import { telephonyEvents } from './telephony';
import { webhookEvents } from './webhook';

const definitions = {
  identity: identityEvents,
  extensions: extensionsEvents,
  telephony: telephonyEvents,
  billing: billingEvents,
  webhook: webhookEvents,
};

interface ProtoMessage {
  name: string;
  /** The event types that the comment above the message names. */
  types: string[];
  body: string;
}

function messagesOf(service: string): ProtoMessage[] {
  const text = readFileSync(join(__dirname, '../../sabia', service, 'v1/events.proto'), 'utf8');
  const type = new RegExp(`\\b${service}\\.[a-z]+\\.[a-z]+`, 'g');
  return [...text.matchAll(/((?:^\/\/.*\n)*)^message (\w+) \{([^}]*)\}/gm)].map(
    ([, comment = '', name = '', body = '']) => ({ name, types: comment.match(type) ?? [], body }),
  );
}

describe.each(Object.entries(definitions))('the events of %s', (service, events) => {
  const messages = messagesOf(service);

  it('are those that its protos name, each defined once, with its message', () => {
    const named = messages.flatMap(({ name, types }) => types.map((type) => [type, `sabia.${service}.v1.${name}`]));
    const defined = Object.values(events).map(({ type, message }) => [type, message]);
    expect(defined.sort()).toEqual(named.sort());
  });

  it('leave no message over, but for parts of other messages', () => {
    const unused = messages.filter(
      ({ name, types }) => types.length === 0 && !messages.some(({ body }) => body.includes(` ${name} `)),
    );
    expect(unused).toEqual([]);
  });
});

test('an event reads back as it was written', () => {
  const message = { callId: 'c1', minutePrice: 1, callPrice: 2, billedSeconds: 3 };
  const bytes = billingEvents.callRated.encode(message);
  expect(bytes).toEqual(CallRated.encode(message).finish());
  expect(billingEvents.callRated.decode(bytes)).toEqual(message);
});

test.each([
  'created',
  'identity.account',
  'identity.account.created.twice',
  'Identity.account.created',
  'a.b.',
  'a.*.c',
])('"%s" is no event type', (type) => {
  expect(() => defineEvent(type as EventType, CallRated)).toThrow(/is no event type/);
});
