import { Envelope } from '@sabia/protos/sabia/events/v1/envelope';
import { headers } from 'nats';
import type { Msg } from 'nats';
import { refusal } from './relay/batch-publisher';
import { createDelivery, readAckSubject, toEventDeliveries } from './consumer/delivery';
import { livePublicationOf, readEnvelope, readEnvelopes, toPublication } from './envelope';
import { packsOf } from './relay/packs';
import type { OutboxRow } from './relay/outbox-session';
import { isEventId, newEventId, outboxInsert } from './outbox';
import { connectionOptions } from './nats/connection';
import { readStatus } from './consumer/puller';

const row = {
  position: 1,
  id: '0190f4de-0000-7000-8000-000000000001',
  type: 'identity.account.created' as const,
  version: 2,
  account_id: 7,
  occurred_at: new Date('2026-01-01T00:00:00.123Z'),
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  tracestate: 'a=b',
  payload: Buffer.from('payload'),
  services_only: false,
  also: Buffer.alloc(0),
};

function statusOf(code: number, description: string): Pick<Msg, 'headers' | 'reply' | 'data'> {
  return { headers: headers(code, description), reply: '', data: new Uint8Array() };
}

const servicePublicationOf = (event: OutboxRow, shardEvents = false) =>
  packsOf([event], { shardEvents, packEvents: false }).map(({ publication }) => publication);

describe('an event', () => {
  it('is published under its type, with its id and its trace in the headers, and reads back the same', () => {
    const { subject, data, headers: sent } = toPublication(row, 'sabia.identity.account.created');
    expect(subject).toBe('sabia.identity.account.created');
    expect(sent.get('Nats-Msg-Id')).toBe(row.id);
    expect(sent.get('traceparent')).toBe(row.traceparent);
    expect(sent.get('tracestate')).toBe('a=b');
    expect(readEnvelope(data)).toEqual({
      id: row.id,
      type: row.type,
      version: 2,
      accountId: 7,
      occurredAt: row.occurred_at,
      traceparent: row.traceparent,
      tracestate: 'a=b',
      payload: row.payload,
      also: [],
    });
  });

  it.each([
    ['identity.account.created', ['sabia.identity.account.created']],
    ['telephony.call.ended', ['sabia-live.7.telephony.call.ended', 'sabia.telephony.call.ended']],
    ['webhook.deliveries.recorded', ['sabia-live.7.webhook.deliveries.recorded']],
  ])('%s is published to those who follow it', (type, subjects) => {
    const followed = { ...row, type };
    const messages = [...livePublicationOf(followed), ...servicePublicationOf(followed)];
    expect(messages.map(({ subject }) => subject)).toEqual(subjects);
  });

  it('names the shard of its account where events are sharded, the same for all of its events', () => {
    const subjectOf = (type: string, account_id: number): string =>
      servicePublicationOf({ ...row, type, account_id }, true)[0]!.subject;
    expect(subjectOf('telephony.call.ended', 7)).toBe('sabia.telephony.call.ended.7');
    expect(subjectOf('billing.call.rated', 7)).toBe('sabia.billing.call.rated.7');
    expect(subjectOf('telephony.call.ended', 16)).toBe('sabia.telephony.call.ended.0');
    expect(livePublicationOf({ ...row, type: 'telephony.call.ended' })[0]!.subject).toBe(
      'sabia-live.7.telephony.call.ended',
    );
  });

  it('that is told again for services is not told to accounts again', () => {
    const again = { ...row, type: 'telephony.call.ended', services_only: true };
    expect(livePublicationOf(again)).toEqual([]);
    expect(servicePublicationOf(again)).toHaveLength(1);
  });

  it('reaches its account with those that were written together with it', () => {
    const payloads = ['first', 'second', 'third'].map((text) => Buffer.from(text));
    const { values } = outboxInsert(
      payloads.map((payload) => ({ type: 'telephony.call.created', accountId: 7, payload })),
    );
    const [also] = values[9] as Buffer[];
    const [message] = livePublicationOf({ ...row, type: 'telephony.call.created', also: also!, payload: payloads[0]! });
    expect(readEnvelopes(message!.data).map(({ type, payload }) => [type, payload])).toEqual(
      payloads.map((payload) => ['telephony.call.created', payload]),
    );
    expect(message!.headers.get('Nats-Msg-Id')).not.toBe(row.id);
  });

  it('needs an id, a type and a time', () => {
    const whole = { id: row.id, type: row.type, occurredAt: row.occurred_at };
    const bytes = (fields: object) => Envelope.encode(Envelope.fromPartial(fields)).finish();
    expect(readEnvelope(bytes(whole)).id).toBe(row.id);
    expect(() => readEnvelope(bytes({ ...whole, id: 'x' }))).toThrow();
    expect(() => readEnvelope(bytes({ ...whole, type: '' }))).toThrow();
    expect(() => readEnvelope(bytes({ ...whole, occurredAt: undefined }))).toThrow();
    expect(() => readEnvelope(Buffer.from('rubbish'))).toThrow();
  });

  it('compares by its id as PostgreSQL writes it', () => {
    const data = Envelope.encode(
      Envelope.fromPartial({ id: row.id.toUpperCase(), type: row.type, occurredAt: row.occurred_at }),
    ).finish();
    expect(readEnvelope(data).id).toBe(row.id);
  });

  it('has an id that sorts by time', () => {
    const [earlier, later] = [newEventId(new Date(1_000)), newEventId(new Date(2_000))];
    expect(isEventId(earlier)).toBe(true);
    expect(earlier).toMatch(/^00000000-03e8-7...-[89ab]...-............$/);
    expect(earlier < later).toBe(true);
  });
});

describe('a delivery', () => {
  const decode = jest.fn((payload: Uint8Array) => Buffer.from(payload).toString());
  const reading = {
    definitions: new Map([[row.type, { type: row.type, message: 'text', encode: () => new Uint8Array(), decode }]]),
    publishAlone: () => Promise.resolve(),
    onEventSettled: () => undefined,
  };
  const message = (answers: string[]) =>
    ({
      reply: '$JS.ACK.SABIA.consumer.3.17.5.1700000000000000000.0',
      data: toPublication(row, 'sabia.identity.account.created').data,
      respond: (answer: Uint8Array) => answers.push(Buffer.from(answer).toString()) > 0,
    }) as unknown as Msg;

  it('knows how often it came, with a domain in its subject or without', () => {
    expect(readAckSubject('$JS.ACK.SABIA.consumer.3.17.5.1700000000000000000.0')).toEqual({
      deliveryCount: 3,
      streamSequence: 17,
      consumerSequence: 5,
    });
    expect(readAckSubject('$JS.ACK.hub.ACCOUNT.SABIA.consumer.3.17.5.1700000000000000000.0.x')).toEqual({
      deliveryCount: 3,
      streamSequence: 17,
      consumerSequence: 5,
    });
  });

  it('has a message that is decoded when it is read', () => {
    const [delivery] = toEventDeliveries(
      createDelivery(message([]), () => undefined),
      reading,
    );
    expect(decode).not.toHaveBeenCalled();
    expect(delivery!.event.message).toBe('payload');
  });

  it('has no event that was not asked for', () => {
    const delivery = createDelivery(message([]), () => undefined);
    expect(toEventDeliveries(delivery, { ...reading, definitions: new Map() })).toEqual([]);
  });

  it('is settled once', () => {
    const answers: string[] = [];
    const settled = jest.fn();
    const delivery = createDelivery(message(answers), settled);
    const [event] = toEventDeliveries(delivery, reading);
    expect(event!.event).toMatchObject({ id: row.id, deliveryCount: 3 });
    delivery.stillWorking();
    event!.retry(1_500);
    event!.ack();
    delivery.stillWorking();
    expect(answers).toEqual(['+WPI', '-NAK {"delay":1500000000}']);
    expect(settled).toHaveBeenCalledTimes(1);
    expect(settled).toHaveBeenCalledWith(delivery);
  });
});

describe('answers of JetStream', () => {
  it('to a publish are an acknowledgement or a reason', () => {
    expect(refusal(undefined, Buffer.from('{"stream":"SABIA","seq":4}'))).toBeUndefined();
    expect(refusal(undefined, Buffer.from('{"stream":"SABIA","seq":4,"duplicate":true}'))).toBeUndefined();
    expect(refusal(undefined, Buffer.from('{"error":{"code":503,"description":"insufficient resources"}}'))).toBe(
      '503 insufficient resources',
    );
    expect(refusal(headers(503, 'No Responders'), new Uint8Array())).toBe('no stream takes the subject');
    expect(refusal(undefined, Buffer.from('rubbish'))).toBe('unexpected answer');
  });

  it('to a pull are messages, signs of life, or the end of the request', () => {
    expect(readStatus({ headers: undefined, reply: '$JS.ACK.x', data: Buffer.from('x') })).toBeUndefined();
    expect(readStatus({ headers: headers(), reply: '$JS.ACK.x', data: new Uint8Array() })).toBeUndefined();
    expect(readStatus(statusOf(100, 'Idle Heartbeat'))).toBe('heartbeat');
    expect(readStatus(statusOf(408, 'Request Timeout'))).toBe('over');
    expect(readStatus(statusOf(409, 'Consumer Deleted'))).toEqual({ reason: '409 Consumer Deleted' });
    expect(readStatus(statusOf(503, 'No Responders'))).toEqual({ reason: 'JetStream is away' });
  });
});

describe('the NATS URL', () => {
  it('may name several servers, credentials and TLS', () => {
    expect(connectionOptions('nats://a:4222, nats://b:4223', 'x').servers).toEqual(['a:4222', 'b:4223']);
    expect(connectionOptions('nats://me:p%40ss@a:4222', 'x')).toMatchObject({ user: 'me', pass: 'p@ss' });
    expect(connectionOptions('nats://secret@a:4222', 'x')).toMatchObject({ token: 'secret' });
    expect(connectionOptions('tls://a:4222', 'x').tls).toEqual({});
    expect(connectionOptions('nats://a:4222', 'x').tls).toBeUndefined();
  });
});
