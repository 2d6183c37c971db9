import { readMessages, toSecurityEvent } from './security-event';

const failure = [
  'Event: ChallengeResponseFailed',
  'Privilege: security,all',
  'Severity: Error',
  'Service: PJSIP',
  'AccountID: 1000@acme.sabia.localhost',
  'RemoteAddress: IPV4/UDP/192.0.2.7/5062',
  'Challenge: 1794707915/c0244f',
].join('\r\n');

test('messages may arrive in pieces', () => {
  const first = readMessages(
    `Asterisk Call Manager/11.0.0\r\nResponse: Success\r\nMessage: Accepted\r\n\r\n${failure}\r`,
  );
  expect(first.messages).toHaveLength(1);
  expect(first.messages[0]?.get('Response')).toBe('Success');
  const second = readMessages(`${first.rest}\n\r\n`);
  expect(second).toMatchObject({ messages: [expect.any(Map)], rest: '' });
  expect(toSecurityEvent(second.messages[0] as Map<string, string>)).toEqual({
    kind: 'ChallengeResponseFailed',
    account: '1000@acme.sabia.localhost',
    transport: 'UDP',
    address: '192.0.2.7',
  });
});

test('a message without a remote address is not a security event', () => {
  const [message] = readMessages('Event: FullyBooted\r\nStatus: Fully Booted\r\n\r\n').messages;
  expect(toSecurityEvent(message as Map<string, string>)).toBeUndefined();
});
