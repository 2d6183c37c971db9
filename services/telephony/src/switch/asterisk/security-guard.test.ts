import { metrics } from '@opentelemetry/api';
import { createLogger } from '@sabia/service-kit/logging';
import { AriError } from './ari-http';
import { createSecurityGuard } from './security-guard';

const rules = { failures: 2, windowMs: 60_000, banMs: 600_000, mostBans: 10, spared: [] };
const failure = { kind: 'ChallengeResponseFailed', account: '1000@a', transport: 'UDP', address: '192.0.2.7' };

function setUp() {
  let time = 0;
  let acl: string | undefined;
  const guard = createSecurityGuard({
    ari: {
      putObject: async (type, id, fields) => {
        acl = fields.deny;
        throw new AriError('PUT', `/${type}/${id}`, 500, 'Allocation failed');
      },
      deleteObject: async () => {
        acl = undefined;
        return true;
      },
    },
    meter: metrics.getMeter('test'),
    log: createLogger({ name: 'test', level: 'silent' }),
    rules,
    now: () => new Date(time),
  });
  return { guard, acl: () => acl, passes: (ms: number) => (time += ms) };
}

test('writes bans to Asterisk and takes them back when their time is over', async () => {
  const { guard, acl, passes } = setUp();
  guard.handle(failure);
  guard.handle(failure);
  guard.handle({ ...failure, address: '2001:db8::1' });
  guard.handle({ ...failure, address: '2001:db8::1' });
  await guard.apply();
  expect(acl()).toBe('192.0.2.7/32,2001:db8::1/128');
  passes(600_000);
  await guard.apply();
  expect(acl()).toBeUndefined();
  guard.stop();
});

test.each([
  ['a web phone, whose address is the gateway', { ...failure, transport: 'WS' }],
  ['an event whose address may be forged', { ...failure, kind: 'InvalidAccountID' }],
])('does not ban %s', (_what, event) => {
  const { guard } = setUp();
  for (let times = 0; times < 10; times++) guard.handle(event);
  expect(guard.banned).toEqual([]);
  guard.stop();
});
