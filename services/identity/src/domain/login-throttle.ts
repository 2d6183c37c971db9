import { hash } from 'node:crypto';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError } from '@sabia/service-kit/errors';
import { networkOf } from './client-network';

export interface ThrottlePolicy {
  failuresPerEmail: number;
  failuresPerIp: number;
  windowSeconds: number;
}

export interface ThrottleKey {
  key: Buffer;
  limit: number;
}

/** Hashed, so that the table contains neither the e-mails nor the networks of strangers. */
export function throttleKeys(policy: ThrottlePolicy, email: string, clientIp?: string): ThrottleKey[] {
  const keys = [{ key: hash('sha256', `email:${email}`, 'buffer'), limit: policy.failuresPerEmail }];
  if (clientIp !== undefined && clientIp !== '') {
    keys.push({ key: hash('sha256', `ip:${networkOf(clientIp)}`, 'buffer'), limit: policy.failuresPerIp });
  }
  return keys;
}

export const tooManyFailures = (retryAfterSeconds: number): ServiceError =>
  new ServiceError({
    kind: ErrorKind.RATE_LIMITED,
    code: 'RATE_LIMITED',
    message: 'Too many failed logins. Try again later.',
    retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)),
  });
