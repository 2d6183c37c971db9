import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { ServiceError } from '@sabia/service-kit/errors';
import { linphoneConfig } from '../domain/linphone-config';
import { hashOf } from '../domain/provisioning-token';
import { isGoodLink, openLink } from '../storage/provisioning-links';
import type { Dependencies, Handler } from './dependencies';

export function openProvisioning({ database, sipServers, now }: Dependencies): Handler<'openProvisioning'> {
  return async ({ token, onlyLook }) => {
    const hash = hashOf(token);
    if (onlyLook) {
      if (!(await isGoodLink(database, hash, now()))) throw gone();
      return { document: '' };
    }
    const extension = await openLink(database, hash, now());
    if (extension === undefined) {
      throw gone();
    }
    const name = `${extension.firstName} ${extension.lastName}`;
    return { document: linphoneConfig({ ...extension, name }, sipServers[0]) };
  };
}

/** Does not repeat the token: messages of errors are logged. */
const gone = (): ServiceError =>
  new ServiceError({
    kind: ErrorKind.NOT_FOUND,
    code: 'PROVISIONING_NOT_FOUND',
    message: 'This link is unknown, was used or has expired.',
  });
