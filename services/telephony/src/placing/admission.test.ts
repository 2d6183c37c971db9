import { Extension } from '@sabia/protos/sabia/extensions/v1/messages';
import { insufficientCredit, unavailable } from '@sabia/service-kit/errors';
import { createAdmission } from './admission';
import type { CallToPlace } from './placement';
import type { IncomingCall } from '../switch/port';

const domain = 'acme.sabia.localhost';

function stage(refuse?: Error) {
  const placed: CallToPlace[] = [];
  const extension = (ramal: string) =>
    Extension.fromPartial({ domain, ramal, bina: '551140028922', first_name: 'Ana', gravar_audio: true });
  const admission = createAdmission({
    extensions: {
      async resolve({ ramal = '', bina, domain: wanted }) {
        if (bina === '551140028922') return { accountId: 7, extension: extension('1000') };
        const known = ['1000', '1001'].includes(ramal) && (wanted === undefined || wanted === domain);
        return known ? { accountId: 7, extension: extension(ramal) } : undefined;
      },
    },
    placement: {
      async place(call) {
        if (refuse) throw refuse;
        placed.push(call);
        return { ...call, id: '', startedAt: new Date(), grantedSeconds: null, traceparent: null };
      },
    },
    phoneCountry: 'BR',
    preferencesOf: async (accountId) => ({ timeZone: accountId === 7 ? 'America/Manaus' : '', areaCode: '92' }),
    mayWait: (digits) => digits.startsWith('5592'),
  });
  const held: string[] = [];
  const admit = (call: IncomingCall) =>
    admission(call, { switchName: 'asterisk', hold: async () => void held.push(call.dialled) });
  return { admit, placed, held };
}

const incoming = (from: IncomingCall['from'], dialled: string): IncomingCall => ({
  channel: 'channel-1',
  at: new Date(),
  from,
  dialled,
});
const softphone = { extension: { domain, ramal: '1000' } };

test.each([
  [
    'a number',
    incoming(softphone, '011988887777'),
    { type: 'outbound', from: '1000', to: '5511988887777', ramal: '1000' },
  ],
  ['an extension', incoming(softphone, '1001'), { type: 'internal', from: '1000', to: '1001', ramal: '1000' }],
  [
    'a call from outside',
    incoming({ number: '+5511977776666' }, '+551140028922'),
    { type: 'inbound', from: '5511977776666', to: '551140028922', ramal: '1000' },
  ],
  ['a caller who hides', incoming({ number: '' }, '1140028922'), { type: 'inbound', from: 'anonymous' }],
])('%s', async (_name, call, expected) => {
  const { admit, placed } = stage();
  await admit(call);
  expect(placed).toEqual([
    expect.objectContaining({
      ...expected,
      accountId: 7,
      userId: 0,
      timeZone: 'America/Manaus',
      aChannel: 'channel-1',
      record: true,
    }),
  ]);
});

test.each([
  ['what is no number', incoming(softphone, '1999'), 'INVALID_NUMBER_FORMAT'],
  ['an extension that is gone', incoming({ extension: { domain, ramal: '9999' } }, '1000'), 'CALL_REJECTED'],
  ['an unassigned number', incoming({ number: '+5511977776666' }, '+551130000000'), 'UNALLOCATED_NUMBER'],
])('%s is refused', async (_name, call, hangupCause) => {
  const { admit, placed } = stage();
  await expect(admit(call)).rejects.toMatchObject({ hangupCause });
  expect(placed).toEqual([]);
});

test('lack of credit is a rejection, an outage is not', async () => {
  await expect(stage(insufficientCredit()).admit(incoming(softphone, '1001'))).rejects.toMatchObject({
    hangupCause: 'CALL_REJECTED',
  });
  await expect(stage(unavailable()).admit(incoming(softphone, '1001'))).rejects.not.toHaveProperty('hangupCause');
});

test('whoever may have to wait for a carrier hears ringing meanwhile', async () => {
  const { admit, held } = stage();
  await admit(incoming(softphone, '11988887777'));
  await admit(incoming(softphone, '92988887777'));
  await admit(incoming({ number: '+5592977776666' }, '+551140028922'));
  expect(held).toEqual(['92988887777']);
});
