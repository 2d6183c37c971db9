import { invalid } from '@sabia/service-kit/errors';

/** Of a link that sets a new password. */
export const invalidCode = () =>
  invalid('user', [{ field: 'token', code: 'invalid', message: 'is unknown, used already or has expired' }]);
