import { randomBytes } from 'node:crypto';

/** Of the same form as those of integrations. */
export const newSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;
