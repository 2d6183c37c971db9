import { randomUUID } from 'node:crypto';
import type { Delivery, Integration } from '@sabia/client';
import { Option } from 'commander';
import type { Command } from 'commander';
import { accountFor } from '../context';
import type { Context, GlobalOptions } from '../context';
import { Failure, exitCodes } from '../failure';
import { forward } from '../listen/forwarder';
import { openPositionFile } from '../listen/position-file';
import { sampleBody } from '../listen/sample';
import { newSecret } from '../listen/secret';
import { webhookTypes } from '../listen/webhook-body';
import type { WebhookType } from '../listen/webhook-body';
import { printTable } from '../output/print';
import { optionsOf } from './command';
import type { AddCommands } from './command';
import { addListen, receiverUrl } from './webhooks-listen';

interface TriggerOptions extends GlobalOptions {
  type: WebhookType;
  forwardTo?: string;
}

export const addWebhooks: AddCommands = (parent, context) => {
  const { m, terminal } = context;
  const webhooks = parent
    .command('webhooks')
    .description(m.webhooks)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf(command);
      const found = await accountFor(context, options).sabia.webhooks.list();
      if (options.json) return terminal.json(found.map(({ webhookSecret: _secret, ...each }) => each));
      if (found.length === 0) return terminal.note(m.noWebhooks);
      show(context, found);
    });

  addListen(webhooks, context);

  webhooks
    .command('trigger')
    .description(m.trigger)
    .argument('[integration]', m.triggerIntegration)
    .option('--forward-to <address>', m.triggerForwardTo)
    .addOption(new Option('--type <type>', m.triggerType).choices(webhookTypes).default('channel-hangup'))
    .action(async (integration: string | undefined, _options: unknown, command: Command) => {
      const options = optionsOf<TriggerOptions>(command);
      if (options.forwardTo !== undefined) return triggerHere(context, options, options.forwardTo);
      if (integration === undefined) throw new Failure(m.triggerWhere, exitCodes.usage);
      await triggerThere(context, options, integration);
    });
};

/** Sends a sample from this machine, signed with the secret of `listen`. */
async function triggerHere(context: Context, options: TriggerOptions, address: string): Promise<void> {
  const { m, terminal, config, interrupted } = context;
  const { sabia, profile = 'token' } = accountFor(context, options);
  const account = await sabia.account.get();
  const file = openPositionFile(config.folder, profile, account.domain);
  const position = file.read() ?? { forwarded: [], secret: newSecret() };
  file.write(position);
  const giveUp = new AbortController();
  let reason = '';
  const result = await forward(`msg_${randomUUID()}`, sampleBody(options.type, account), {
    url: receiverUrl(context, address),
    secret: position.secret,
    signal: AbortSignal.any([interrupted, giveUp.signal]),
    onAway(why) {
      reason = why;
      giveUp.abort();
    },
  });
  if (result === undefined) throw new Failure(m.receiverAway(address, reason), exitCodes.unreachable);
  if (options.json) return terminal.json({ type: options.type, ...result });
  terminal.line(m.triggered(options.type, String(result.status), result.latencyMs));
  terminal.note(m.signedWith(position.secret));
}

/** Lets the platform send its samples to the receiver of an integration. */
async function triggerThere(context: Context, options: TriggerOptions, name: string): Promise<void> {
  const { m, terminal } = context;
  const { sabia } = accountFor(context, options);
  const all = await sabia.webhooks.list();
  const found = all.find(({ id, gateway }) => gateway === name || String(id) === name);
  if (found === undefined) {
    const names = all.map(({ gateway }) => gateway).join(', ');
    throw new Failure(m.noSuchIntegration(name), exitCodes.notFound, names && m.thereAre(names));
  }
  const deliveries = await sabia.webhooks.test(found.id);
  if (options.json) return terminal.json(deliveries);
  const answerOf = ({ attempts, reason }: Delivery): string => {
    const last = attempts.at(-1);
    return last?.status ? `${last.status} (${last.latencyMs} ms)` : (last?.error ?? reason ?? '–');
  };
  for (const delivery of deliveries) terminal.line(`${delivery.eventType}  ${delivery.status}  ${answerOf(delivery)}`);
}

function show({ m, terminal }: Context, integrations: readonly Integration[]): void {
  const setting = (each: Integration, name: string): string => {
    const value = each.metadata[name];
    return Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : '–';
  };
  const columns = [
    { title: m.columnId, value: ({ id }: Integration) => String(id), align: 'right' as const },
    { title: m.columnName, value: ({ gateway }: Integration) => gateway },
    {
      title: m.columnStatus,
      value: ({ webhook, disabledReason }: Integration) => (disabledReason ? m.disabled : webhook ? m.on : m.off),
    },
    { title: 'URL', value: (each: Integration) => setting(each, 'webhookUrl'), flexible: true },
    { title: m.columnTypes, value: (each: Integration) => setting(each, 'webhookTypes'), flexible: true },
  ];
  printTable(terminal, integrations, columns);
}
