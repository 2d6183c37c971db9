import type { LiveCall } from '../../domain/live-call';
import type { AriChannel } from './ari-types';
import { aChannelOf, calleeOf, callOfChannel, extensionOf } from './call-legs';

const id = '0190aaaa-0000-7000-8000-000000000001';
const domain = 'acme.sabia.localhost';
const call = (known: Partial<LiveCall>) =>
  ({ id, domain, ramal: '1000', from: '1000', to: '5511988887777', bina: null, aChannel: null, ...known }) as LiveCall;

test('names follow from the id of the call, and lead back to it', () => {
  expect(aChannelOf(call({}))).toBe(`${id}-a`);
  expect(aChannelOf(call({ aChannel: '1700000000.1' }))).toBe('1700000000.1');
  expect(callOfChannel(`${id}-a`)).toBe(id);
  expect(callOfChannel(`${id}-a1700000000000`)).toBe(id);
  expect(callOfChannel(`${id}-b3`)).toBe(id);
  expect(callOfChannel('1700000000.1')).toBeUndefined();
});

test('the extension of a channel', () => {
  expect(extensionOf({ name: `PJSIP/1000@${domain}-0000002a` } as AriChannel)).toEqual({ ramal: '1000', domain });
  expect(extensionOf({ name: 'PJSIP/trunk-test-0000002a' } as AriChannel)).toBeUndefined();
});

describe('the callee', () => {
  const trunks = [
    { name: 'one', format: 'e164' as const },
    { name: 'two', format: '0national' as const, prefix: '9', callerId: '551140028922' },
  ];

  test('is reached on one trunk after the other', () => {
    const outbound = call({ type: 'outbound' });
    expect(calleeOf(outbound, trunks[0], 0)).toMatchObject({
      channel: { endpoint: 'PJSIP/5511988887777@one', variables: { 'CALLERID(num)': '5511988887777' } },
      shown: '1000',
    });
    expect(calleeOf(outbound, trunks[1], 1)).toMatchObject({
      channel: { endpoint: 'PJSIP/9011988887777@two', channelId: `${id}-b1` },
      shown: '01140028922',
    });
    expect(calleeOf(outbound, trunks[2], 2)).toBeUndefined();
    expect(JSON.stringify(calleeOf(outbound, trunks[0], 0))).not.toContain('X-Sabia-Call');
  });

  test('is a softphone when the call stays inside or comes in', () => {
    expect(calleeOf(call({ type: 'internal', to: '1001' }), trunks[0], 0)?.channel.endpoint).toBe(
      `PJSIP/1001@${domain}`,
    );
    expect(calleeOf(call({ type: 'inbound', from: '5511977776666' }), trunks[0], 0)).toMatchObject({
      channel: { endpoint: `PJSIP/1000@${domain}`, variables: { 'PJSIP_HEADER(add,X-Sabia-Call)': id } },
      shown: '5511977776666',
    });
    expect(calleeOf(call({ type: 'inbound' }), trunks[1], 1)).toBeUndefined();
  });
});
