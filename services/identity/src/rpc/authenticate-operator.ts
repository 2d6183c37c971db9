import { AuthenticateOperatorResponse } from '@sabia/protos/sabia/identity/v1/operator';
import { configuredOperatorName } from '../domain/operator';
import type { Operator } from '../domain/operator';
import { findOperatorByToken, saveConfiguredOperator } from '../storage/operators';
import type { Dependencies, Handler } from './dependencies';

export function authenticateOperator({
  database,
  configuredOperator: configured,
  now,
}: Dependencies): Handler<'authenticateOperator'> {
  /** The token of the configuration has no row before its first use, or that of the token before it. */
  async function find(tokenHash: Buffer): Promise<Operator | undefined> {
    const operator = await findOperatorByToken(database, tokenHash);
    const isConfigured = configured?.hash.equals(tokenHash) === true;
    if (operator !== undefined) {
      return operator.configured && !isConfigured ? undefined : operator;
    }
    return isConfigured
      ? saveConfiguredOperator(database, { name: configuredOperatorName, token: configured, now: now() })
      : undefined;
  }

  return async ({ tokenHash }) => {
    const operator = await find(tokenHash);
    return AuthenticateOperatorResponse.fromPartial({
      operator: operator && { uuid: operator.uuid, name: operator.name },
    });
  };
}
