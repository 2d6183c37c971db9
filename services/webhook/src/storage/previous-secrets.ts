import type { PreviousSecret } from '../domain/receiver';
import { toSealed } from './integrations';
import type { SecretText } from './integrations';

export type PreviousSecretText = SecretText & { until: string };

/** All secrets replaced by rotation, newest first, expired ones included. */
export const previousSecretsOfRow = `(CASE
    WHEN previous_secret IS NULL THEN '[]'::jsonb
    ELSE jsonb_build_array(jsonb_build_object('keyId', previous_secret_key_id,
      'bytes', encode(previous_secret, 'base64'), 'until', previous_secret_until))
  END || older_secrets)`;

/** The previous secrets of a jsonb list that still sign at the time of the parameter. */
export const unexpired = (list: string, parameter: string): string => `(
    SELECT coalesce(jsonb_agg(s ORDER BY nth), '[]') FROM jsonb_array_elements(${list}) WITH ORDINALITY AS l (s, nth)
    WHERE (s->>'until')::timestamptz > ${parameter})`;

export const toPreviousSecret = ({ until, ...secret }: PreviousSecretText): PreviousSecret => ({
  secret: toSealed(secret),
  until: new Date(until),
});
