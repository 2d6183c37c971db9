import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CreateChargeResponse } from '@sabia/client';
import { projectRoot } from '@sabia/embedded/project';
import { stackEnvironment } from './config';
import { eventually } from './eventually';
import type { StackClient } from './stack-client';

/** The date, as charges write it, a number of days from now. */
export function dayAhead(days: number): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' });
  return format.format(new Date(Date.now() + days * 86_400_000));
}

/** Buys credit as a user does: creates a charge and presses the button of its payment page. */
export async function topUp(client: StackClient, amount: number): Promise<CreateChargeResponse> {
  const wish = { paymentMethod: 'PIX', amount, dueDate: dayAhead(2), description: 'credit' } as const;
  const charge = await client.sabia.charges.create(wish);
  const paid = await client.post(new URL(charge.paymentLink!).pathname, undefined, { outsideApi: true });
  if (paid.status !== 200) throw new Error(`the payment page answered ${paid.status}`);
  return charge;
}

export interface OwnPrice {
  accountId: number;
  /** In reais, as a decimal. */
  minutePrice: string;
  minimumSeconds: number;
  incrementSeconds: number;
}

/** Imports a rate deck with one price for all of Brazil, as an operator does; resolves when calls of the account have that price. */
export async function importOwnPrice(
  stack: { postgresUrl: string },
  client: StackClient,
  { accountId, minutePrice, minimumSeconds, incrementSeconds }: OwnPrice,
): Promise<string> {
  const file = join(tmpdir(), `sabia-rates-${randomBytes(6).toString('hex')}.csv`);
  const columns = 'prefix,minute_price,minimum_seconds,increment_seconds';
  writeFileSync(file, `${columns}\n55,${minutePrice},${minimumSeconds},${incrementSeconds}\n`);
  const url = new URL(stack.postgresUrl);
  url.searchParams.set('options', '-c role=sabia_billing -c search_path=billing');
  try {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [
        join(projectRoot, 'services/billing/dist/rates-import.js'),
        ...[file, '--deck', `account-${accountId}`, '--account', String(accountId)],
      ],
      { env: stackEnvironment({ DATABASE_URL: url.href }) },
    );
    await eventually(async () => {
      const quote = await client.fromAnotherAddress().sabia.rates.quote('551155500101');
      return quote.minute_price === Number(minutePrice);
    });
    return stdout;
  } finally {
    rmSync(file, { force: true });
  }
}
