import { Sabia } from '@sabia/client';
import type { SabiaOptions } from '@sabia/client';
import type { CliConfig } from './config';
import { Failure, exitCodes } from './failure';
import type { Messages } from './messages';
import type { Format } from './output/format';
import type { Terminal } from './output/terminal';
import type { Profiles } from './profiles';

/** Options that stand before or after any command. */
export interface GlobalOptions {
  profile?: string;
  url?: string;
  json?: boolean;
}

export interface Account {
  sabia: Sabia;
  url: string;
  /** Undefined when the token came from the environment. */
  profile: string | undefined;
}

/** What every command works with. */
export interface Context {
  config: CliConfig;
  terminal: Terminal;
  format: Format;
  m: Messages;
  profiles: Profiles;
  /** Aborted by Ctrl-C. */
  interrupted: AbortSignal;
}

type RequestLimits = Pick<SabiaOptions, 'retries' | 'timeoutMs'>;

export const DEFAULT_PROFILE = 'default';
const LOCAL_URL = 'http://localhost:8080';

export const profileName = ({ config }: Context, options: GlobalOptions): string =>
  options.profile ?? config.profile ?? DEFAULT_PROFILE;

/** The address of the installation, also before anyone has logged in. */
export function urlFor(context: Context, options: GlobalOptions): string {
  const given = options.url ?? context.config.url;
  return withScheme(given ?? context.profiles.get(profileName(context, options))?.url ?? LOCAL_URL);
}

/** Every request of the command line goes through one of these. */
export function clientFor({ config }: Context, url: string, token?: string, limits: RequestLimits = {}): Sabia {
  return new Sabia({ baseUrl: url, token, headers: config.headers, ...limits });
}

/** The account in whose name the command asks. */
export function accountFor(context: Context, options: GlobalOptions): Account {
  const { config, profiles, m } = context;
  const url = urlFor(context, options);
  if (config.token !== undefined) {
    return { sabia: clientFor(context, url, config.token), url, profile: undefined };
  }
  const name = profileName(context, options);
  const profile = profiles.get(name);
  if (profile === undefined) throw new Failure(m.notLoggedIn(name), exitCodes.notLoggedIn, m.logInAdvice);
  // A token is for the installation that gave it, and is shown to no other.
  if (new URL(profile.url).origin !== new URL(url).origin) {
    throw new Failure(m.otherInstallation(name, profile.url), exitCodes.notLoggedIn, m.logInAdvice);
  }
  return { sabia: clientFor(context, url, profile.token), url, profile: name };
}

/** An address without a scheme is that of this machine, or of a server with HTTPS. */
export function withScheme(address: string): string {
  const bare = address.replace(/\/+$/, '');
  if (/^https?:\/\//.test(bare)) return bare;
  return `${/^(localhost|127\.|\[::1\])/.test(bare) ? 'http' : 'https'}://${bare}`;
}
