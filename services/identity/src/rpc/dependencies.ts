import type { IdentityServiceService } from '@sabia/protos/sabia/identity/v1/service';
import type { Nats } from '@sabia/service-kit/events/nats/connection';
import type { Outbox } from '@sabia/service-kit/events/outbox';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { OperatorToken } from '../domain/operator';
import type { PasswordHasher } from '../domain/password-hasher';
import type { SignUpRules } from '../domain/sign-up';
import type { DropFromCaches } from '../events/cache-drop';
import type { LoginThrottle } from './login-throttle';
import type { TokenUsage } from '../storage/token-usage';

/** The parts that the rpcs share; each takes only those it uses. */
export interface Dependencies {
  database: Database;
  outbox: Outbox;
  nats: Nats;
  passwords: PasswordHasher;
  throttle: LoginThrottle;
  tokenUsage: TokenUsage;
  dropFromCaches: DropFromCaches;
  /** Tells the mail worker that a mail was requested. */
  pokeMails: () => void;
  signUpRules: SignUpRules;
  /** The time zone of new accounts. */
  timeZone: string;
  /** The token that the configuration gives to an operator; undefined: none. */
  configuredOperator?: OperatorToken;
  now: () => Date;
}

export type Handler<Rpc extends keyof IdentityServiceService> = NonNullable<Handlers<IdentityServiceService>[Rpc]>;
