import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError } from '@sabia/service-kit/errors';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Extensions, ResolvedExtension } from '../clients/extensions';
import { normalizeDestination } from '../domain/destination';
import type { CallToPlace, Placement } from './placement';
import { PlacingError } from '../switch/port';
import type { ExtensionName, IncomingCall } from '../switch/port';

export interface AdmissionOptions {
  extensions: Pick<Extensions, 'resolve'>;
  placement: Placement;
  phoneCountry: CountryCode;
  preferencesOf: (accountId: number) => Promise<{ timeZone: string; areaCode: string }>;
  /** Whether a call to the number may have to wait for a carrier. */
  mayWait: (digits: string) => boolean;
}

/** Where a call has begun. `hold`: the caller hears ringing from now on, and may hang up. */
export interface Origin {
  switchName: string;
  hold: () => Promise<void>;
}

/** Places a call that began on the switch: from a softphone to a number or an extension, or from a carrier. */
export function createAdmission(options: AdmissionOptions) {
  const { extensions, placement, phoneCountry: country, preferencesOf, mayWait } = options;

  const recordOf = async (
    { accountId, extension }: ResolvedExtension,
    call: Pick<CallToPlace, 'type' | 'from' | 'to' | 'aChannel'>,
  ): Promise<CallToPlace> => ({
    dialId: null,
    accountId,
    userId: 0,
    domain: extension.domain,
    timeZone: (await preferencesOf(accountId)).timeZone,
    email: extension.email_address,
    firstName: extension.first_name,
    lastName: extension.last_name,
    bina: extension.bina ?? null,
    called: null,
    metadata: '{}',
    record: extension.gravar_audio,
    ramal: extension.ramal,
    ...call,
  });

  async function fromExtension(name: ExtensionName, { channel, dialled }: IncomingCall): Promise<CallToPlace> {
    const caller = await extensions.resolve({ ...name });
    if (caller === undefined) {
      throw new PlacingError('CALL_REJECTED', `there is no extension ${name.ramal}@${name.domain}`);
    }
    const parties = { from: name.ramal, aChannel: channel };
    const { accountId } = caller;
    if (/^\d{3,10}$/.test(dialled) && (await extensions.resolve({ accountId, ramal: dialled })) !== undefined) {
      return recordOf(caller, { ...parties, type: 'internal', to: dialled });
    }
    const { areaCode } = await preferencesOf(accountId);
    const to = normalizeDestination(dialled, { country, areaCode });
    if (to === undefined) {
      throw new PlacingError('INVALID_NUMBER_FORMAT', 'the dialled digits are not a number');
    }
    return recordOf(caller, { ...parties, type: 'outbound', to });
  }

  async function fromTrunk(number: string, { channel, dialled }: IncomingCall): Promise<CallToPlace> {
    const to = normalizeDestination(dialled, { country }) ?? dialled.replace(/\D/g, '');
    const callee = await extensions.resolve({ bina: to });
    if (callee === undefined) {
      throw new PlacingError('UNALLOCATED_NUMBER', 'no extension has the number that was called');
    }
    const from = normalizeDestination(number, { country }) ?? number.replace(/[^\d+]/g, '');
    return recordOf(callee, { type: 'inbound', from: from === '' ? 'anonymous' : from, to, aChannel: channel });
  }

  return async (call: IncomingCall, { switchName, hold }: Origin): Promise<void> => {
    try {
      const record =
        'extension' in call.from
          ? await fromExtension(call.from.extension, call)
          : await fromTrunk(call.from.number, call);
      if (record.type === 'outbound' && mayWait(record.to)) await hold();
      await placement.place(record, { switchName });
    } catch (error) {
      const refused = error instanceof ServiceError && error.kind !== ErrorKind.UNAVAILABLE;
      throw refused ? new PlacingError('CALL_REJECTED', error.message, error) : error;
    }
  };
}
