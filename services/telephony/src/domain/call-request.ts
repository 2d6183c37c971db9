import { normalizeDestination } from './destination';
import type { Dialling } from './destination';
import { Violations } from '@sabia/service-kit/validation/violations';

export interface CallRequest {
  extension: string;
  /** E.164 digits. */
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

/** `calledField` names the destination in validation errors. */
export function readCallRequest(
  given: GivenCall,
  { calledField = 'called', ...dialling }: Dialling & { calledField?: string },
): CallRequest {
  const violations = new Violations();
  const extension = (given.extension ?? '').trim();
  if (extension === '') {
    violations.add('extension', 'presence', "can't be blank");
  } else if (!/^\d{1,20}$/.test(extension)) {
    violations.add('extension', 'format', 'must be the number of an extension');
  }

  const called = (given.called ?? '').trim();
  const to = called.length <= 64 ? normalizeDestination(called, dialling) : undefined;
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
  return { extension, to: to!, called, metadata };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
