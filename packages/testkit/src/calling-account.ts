import { topUp } from './credit';
import { createAdmin, createUser, type Person } from './people';
import { PhoneBank, type PhoneBankOptions } from './softphone/phone-bank';

export interface CallingAccount {
  domain: string;
  ramals: readonly string[];
  users: readonly Person[];
  bank: PhoneBank;
  /** Registers every phone again, as after a restart of the switch. */
  registerPhones(): Promise<void>;
  /** Places a call from the next extension by the next user, because rate limits count both. Returns the id of the call, or the status of a refusal. */
  place(called: string, metadata?: object): Promise<{ id: string } | { refused: number }>;
  hangUp(id: string): Promise<number>;
}

export interface CallingAccountOptions extends Omit<PhoneBankOptions, 'server'> {
  extensions: number;
  users: number;
  /** In reais. */
  credit: number;
  /** How many of the extensions are recorded. Default: none. */
  recorded?: number;
  /** Where the phones register, in turn; host:port. Default: the first edge of the stack. */
  servers?: readonly string[];
}

const senha = 'segredo-de-todos';
const person = { first_name: 'Ana', last_name: 'Silva', email_address: 'ana@example.com' };

/** An account for many calls: credit, users and extensions, whose phones are in one bank. */
export async function openCallingAccount(
  stack: { gatewayUrl: string; mailboxUrl: string; sip: { udp: string } | null },
  {
    extensions,
    users: userCount,
    credit,
    recorded = 0,
    servers = [stack.sip?.udp ?? ''],
    ...phones
  }: CallingAccountOptions,
): Promise<CallingAccount> {
  const admin = await createAdmin(stack);
  await topUp(admin.api(), credit);
  const ramals = Array.from({ length: extensions }, (_, index) => String(2000 + index));
  for (const [nth, ramal] of ramals.entries()) {
    const gravar_audio = nth < recorded ? 1 : 0;
    await admin.api().sabia.extensions.create({ ...person, ramal, senha, gravar_audio });
  }
  const users: Person[] = [admin];
  while (users.length < userCount) users.push(await createUser(admin));
  const bank = await PhoneBank.open({ ...phones, server: servers[0] ?? '' });
  let placed = 0;
  let hungUp = 0;

  const account: CallingAccount = {
    ...{ domain: admin.domain, ramals, users },
    bank,
    async registerPhones() {
      for (const [nth, ramal] of ramals.entries())
        await bank.register({ ramal, domain: admin.domain, senha }, servers[nth % servers.length]);
    },
    async place(called, metadata = {}) {
      const extension = ramals[placed % ramals.length];
      const user = users[Math.floor(placed / ramals.length) % users.length]!;
      placed += 1;
      const answer = await user.api().post<{ id: string }>('/calls', { extension, called, metadata });
      return answer.status === 200 ? { id: answer.body.id } : { refused: answer.status };
    },
    async hangUp(id) {
      const user = users[(hungUp += 1) % users.length]!;
      return (await user.api().post(`/calls/${id}/hangup`)).status;
    },
  };
  await account.registerPhones();
  return account;
}
