import type { Charge, QuoteRateResponse, Sabia } from '@sabia/client';
import { Option } from 'commander';
import type { Command } from 'commander';
import { accountFor } from '../context';
import type { Context } from '../context';
import { printList } from '../output/print';
import { money } from './arguments';
import { optionsOf } from './command';
import type { AddCommands } from './command';

interface ChargeOptions {
  due?: string;
  method: (typeof methods)[number];
  wait?: boolean;
}

const methods = ['PIX', 'BOLETO'] as const;
const DAY_MS = 86_400_000;

export const addCredit: AddCommands = (parent, context) => {
  const { m, terminal, format } = context;

  parent
    .command('balance')
    .description(m.balance)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const found = await accountFor(context, options).sabia.credit.balance();
      if (options.json) return terminal.json(found);
      const pairs = [
        [m.available, format.money(found.available)],
        [m.reserved, format.money(found.reserved)],
        [m.balanceWord, format.money(found.balance)],
      ] as const;
      printList(terminal, pairs);
    });

  parent
    .command('charge')
    .description(m.charge)
    .argument('<amount>', m.chargeAmount, money(context))
    .addOption(new Option('--method <method>', m.chargeMethod).choices(methods).default('PIX'))
    .option('--due <day>', m.chargeDue)
    .option('--wait', m.chargeWait)
    .action(async (amount: number, _options: unknown, command: Command) => {
      const options = optionsOf<ChargeOptions>(command);
      const { sabia } = accountFor(context, options);
      const dueDate = options.due ?? new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
      const { id } = await sabia.charges.create({
        amount,
        dueDate,
        paymentMethod: options.method,
        description: 'sabia charge',
      });
      const charge = await sabia.charges.get(id);
      if (!options.json) showCharge(context, charge);
      const paid = options.wait ? await untilPaid(context, sabia, charge) : charge;
      if (options.json) terminal.json(paid);
    });

  parent
    .command('rates')
    .description(m.rates)
    .argument('<number>', m.ratesNumber)
    .action(async (number: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const rate = await accountFor(context, options).sabia.rates.quote(number);
      if (options.json) terminal.json(rate);
      else showRate(context, rate);
    });
};

function showCharge({ m, terminal, format }: Context, charge: Charge): void {
  const pairs = [
    [m.columnId, String(charge.id)],
    [m.amount, format.money(charge.amount)],
    [m.columnStatus, charge.status],
    // A day; as a time it would be the day before in Brazil.
    [m.due, charge.dueDate?.slice(0, 10)],
    [m.payAt, charge.paymentLink ?? undefined],
    ['Pix', charge.pixCode ?? undefined],
  ] as const;
  printList(terminal, pairs);
}

/** Paid between its creation and the opening of the stream: the cursor of the opened stream makes it look once more. */
async function untilPaid(context: Context, sabia: Sabia, charge: Charge): Promise<Charge> {
  const { m, terminal, interrupted } = context;
  terminal.note(m.waitingForPayment);
  const settled = new AbortController();
  let latest = charge;
  const look = async (): Promise<void> => {
    latest = await sabia.charges.get(charge.id);
    if (['CONFIRMED', 'RECEIVED'].includes(latest.status)) settled.abort();
  };
  const signal = AbortSignal.any([interrupted, settled.signal]);
  for await (const event of sabia.events({
    types: ['charge.*'],
    signal,
    onCursor: () => void look().catch(() => undefined),
  })) {
    if ('chargeId' in event && event.chargeId === charge.id) await look();
  }
  if (settled.signal.aborted) terminal.note(m.paid);
  return latest;
}

function showRate({ m, terminal, format }: Context, rate: QuoteRateResponse): void {
  const pairs = [
    [m.destination, [rate.destination, rate.description, rate.country].filter(Boolean).join(', ')],
    [m.columnPrice, m.perMinute(format.money(rate.minute_price))],
    [m.billing, m.billedIn(rate.minimum_seconds, rate.increment_seconds)],
    [m.prefix, rate.prefix],
  ] as const;
  printList(terminal, pairs);
}
