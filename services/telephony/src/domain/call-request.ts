import { normalizeDestination } from './destination';
import type { Dialling } from './destination';
import { Violations } from '@sabia/service-kit/validation/violations';

export interface CallRequest {
  extension: string;
  type: 'outbound' | 'internal';
  /** E.164 digits, or the number of an extension. */
  to: string;
  /** The destination as the client wrote it. */
  called: string;
  /** The text of a JSON object, as it was sent. */
  metadata: string;
}

export interface GivenCall {
  caller?: string;
  called?: string;
  extension?: string;
  metadata?: string;
}

export const maximumMetadataBytes = 16 * 1024;

export interface CallReading extends Dialling {
  /** Names the destination in validation errors. */
  calledField?: string;
  /** The destination is an extension of the account. */
  isInternal?: boolean;
}

/** What may be the number of an extension, unless it is a phone number. */
export const looksLikeExtension = (called: string | undefined): called is string =>
  /^\s*\d{3,10}\s*$/.test(called ?? '');

export function readCallRequest(
  given: GivenCall,
  { calledField = 'called', isInternal = false, ...dialling }: CallReading,
): CallRequest {
  const violations = new Violations();
  const extension = (given.extension ?? '').trim();
  if (extension === '') {
    violations.add('extension', 'presence', "can't be blank");
  } else if (!/^\d{1,20}$/.test(extension)) {
    violations.add('extension', 'format', 'must be the number of an extension');
  }

  const called = (given.called ?? '').trim();
  const to = isInternal ? called : called.length <= 64 ? normalizeDestination(called, dialling) : undefined;
  if (called === '') {
    violations.add(calledField, 'presence', "can't be blank");
  } else if (to === undefined) {
    violations.add(calledField, 'format', 'is not a valid phone number');
  }

  const caller = (given.caller ?? '').trim();
  if (caller !== '' && !/^\+?[\d\s().-]{1,32}$/.test(caller)) {
    violations.add('caller', 'format', 'must be a number');
  }

  const metadata = given.metadata ?? '{}';
  if (Buffer.byteLength(metadata) > maximumMetadataBytes) {
    violations.add('metadata', 'length', `must be at most ${maximumMetadataBytes} bytes long`);
  } else if (!isJsonObject(metadata)) {
    violations.add('metadata', 'type', 'must be an object');
  }
  violations.throwIfAny('call');
  return { extension, type: isInternal ? 'internal' : 'outbound', to: to!, called, metadata };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
