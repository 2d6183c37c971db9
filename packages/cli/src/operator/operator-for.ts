import { SabiaError } from '@sabia/client';
import { profileName, withScheme } from '../context';
import type { Context, GlobalOptions } from '../context';
import { Failure, exitCodes } from '../failure';
import type { OperatorLogin } from '../profiles';
import { createOperatorApi } from './operator-api';
import type { OperatorApi } from './operator-api';

/** Options of every command of operators. */
export interface OperatorOptions extends GlobalOptions {
  operatorUrl?: string;
  operatorToken?: string;
}

/** The address as it is written, with a scheme. */
export function operatorAddress({ m }: Context, text: string): string {
  const address = withScheme(text);
  if (!URL.canParse(address)) throw new Failure(m.notAnAddress(text), exitCodes.usage);
  return address;
}

/** Where the operator's port is and who asks: from the options, else the environment, else the login. */
function loginFor(context: Context, options: OperatorOptions): OperatorLogin {
  const { config, profiles, m } = context;
  const name = profileName(context, options);
  const kept = profiles.operator(name);
  const givenUrl = options.operatorUrl ?? config.operatorUrl;
  const givenToken = options.operatorToken ?? config.operatorToken;
  const url = givenUrl === undefined ? kept?.url : operatorAddress(context, givenUrl);
  if (url === undefined || (givenToken ?? kept) === undefined) {
    throw new Failure(m.operator.notLoggedIn(name), exitCodes.notLoggedIn, m.operator.loginAdvice);
  }
  if (givenToken !== undefined) return { url, token: givenToken };
  // A token is for the installation that gave it, and is shown to no other.
  if (new URL(kept!.url).origin !== new URL(url).origin) {
    throw new Failure(m.otherInstallation(name, kept!.url), exitCodes.notLoggedIn, m.operator.loginAdvice);
  }
  return { url, token: kept!.token };
}

/** Asks the operator's API; what goes wrong is told in words for operators. */
export async function askAt<T>(context: Context, login: OperatorLogin, ask: (api: OperatorApi) => Promise<T>) {
  const { m, config } = context;
  try {
    return await ask(createOperatorApi({ ...login, headers: config.headers }));
  } catch (error) {
    if (!(error instanceof SabiaError)) throw error;
    const { status, code, message } = error;
    if (status === 401) {
      throw new Failure(`${m.operator.tokenRefused} (${code})`, exitCodes.notLoggedIn, m.operator.loginAdvice);
    }
    if (status === 404) throw new Failure(`${m.operator.notFound} (${code})`, exitCodes.notFound);
    if (status === 0) throw new Failure(`${message} (${code})`, exitCodes.unreachable, m.operator.reachAdvice);
    throw error;
  }
}

export const askOperator = <T>(context: Context, options: OperatorOptions, ask: (api: OperatorApi) => Promise<T>) =>
  askAt(context, loginFor(context, options), ask);
