import { followEvents } from './events/follow-events';
import type { EventsOptions, LiveEvent } from './events/follow-events';
import { createClient } from './generated/client';
import { accountOf } from './resources/account';
import { callsOf } from './resources/calls';
import { chargesOf, creditOf, ratesOf } from './resources/credit';
import { extensionsOf } from './resources/extensions';
import { numbersOf } from './resources/numbers';
import { tokensOf, usersOf } from './resources/users';
import { webhooksOf } from './resources/webhooks';
import { createPersistentSend, createSend } from './transport';
import type { Send, TransportOptions } from './transport';

export interface SabiaOptions extends TransportOptions {
  /** Where the gateway is, without /api/v1: "https://api.example.com". */
  baseUrl: string;
}

/** The API of a Sabiá installation. */
export class Sabia {
  readonly account: ReturnType<typeof accountOf>;
  readonly calls: ReturnType<typeof callsOf>;
  readonly charges: ReturnType<typeof chargesOf>;
  readonly credit: ReturnType<typeof creditOf>;
  readonly extensions: ReturnType<typeof extensionsOf>;
  readonly numbers: ReturnType<typeof numbersOf>;
  readonly rates: ReturnType<typeof ratesOf>;
  readonly tokens: ReturnType<typeof tokensOf>;
  readonly users: ReturnType<typeof usersOf>;
  readonly webhooks: ReturnType<typeof webhooksOf>;
  readonly #baseUrl: string;
  readonly #send: Send;

  constructor({ baseUrl, ...options }: SabiaOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#send = createSend(options);
    const send = createPersistentSend(options);
    const client = createClient({
      baseUrl: this.#baseUrl,
      fetch: (request) => send(request as Request),
      throwOnError: true,
    });
    this.account = accountOf(client);
    this.calls = callsOf(client);
    this.charges = chargesOf(client);
    this.credit = creditOf(client);
    this.extensions = extensionsOf(client);
    this.numbers = numbersOf(client);
    this.rates = ratesOf(client);
    this.tokens = tokensOf(client);
    this.users = usersOf(client);
    this.webhooks = webhooksOf(client);
  }

  /** What happens in the account, as it happens. Resumes by itself. */
  events(options: EventsOptions = {}): AsyncGenerator<LiveEvent, void, undefined> {
    return followEvents(this.#send, `${this.#baseUrl}/api/v1/events`, options);
  }
}
