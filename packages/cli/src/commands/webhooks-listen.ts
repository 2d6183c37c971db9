import type { Command } from 'commander';
import { accountFor } from '../context';
import type { Context, GlobalOptions } from '../context';
import { Failure, exitCodes } from '../failure';
import { listen } from '../listen/listener';
import type { ListenerOptions } from '../listen/listener';
import { takeLock } from '../listen/lock';
import { openPositionFile } from '../listen/position-file';
import type { Position } from '../listen/position-file';
import { newSecret } from '../listen/secret';
import { webhookTypeOf, webhookTypes } from '../listen/webhook-body';
import type { WebhookType } from '../listen/webhook-body';
import { optionsOf } from './command';
import type { AddCommands } from './command';

interface ListenOptions extends GlobalOptions {
  forwardTo: string;
  types?: string;
  fromNow?: boolean;
}

export const addListen: AddCommands = (parent, context) => {
  const { m, config } = context;
  parent
    .command('listen')
    .description(m.listen)
    .requiredOption('--forward-to <address>', m.listenForwardTo)
    .option('--types <types>', m.listenTypes(webhookTypes.join(', ')))
    .option('--from-now', m.listenFromNow)
    .action(async (_options: unknown, command: Command) => {
      const options = optionsOf<ListenOptions>(command);
      const url = receiverUrl(context, options.forwardTo);
      const types = typesOf(context, options.types);
      const { sabia, profile = 'token' } = accountFor(context, options);
      const { domain, timeZone } = await sabia.account.get();
      const file = openPositionFile(config.folder, profile, domain);
      const release = takeLock(`${file.path}.lock`);
      if (typeof release !== 'function') throw new Failure(m.alreadyListening(release.heldBy), exitCodes.refused);
      try {
        const kept = file.read();
        const position: Position = { forwarded: [], secret: newSecret(), ...kept };
        if (options.fromNow) delete position.cursor;
        file.write(position);
        await follow(context, options, { sabia, timeZone, url, types, file, position });
      } finally {
        release();
      }
    });
};

async function follow(
  { m, terminal, format, interrupted }: Context,
  { json }: ListenOptions,
  given: Pick<ListenerOptions, 'sabia' | 'timeZone' | 'url' | 'types' | 'file' | 'position'>,
): Promise<void> {
  const note = (text: string): void => (json ? undefined : terminal.note(text));
  if (!json) {
    terminal.line(m.listening(given.url));
    terminal.line(m.signedWith(given.position.secret));
    if (given.position.cursor !== undefined) note(m.resuming);
  }
  await listen({
    ...given,
    signal: interrupted,
    onOpen: () => note(terminal.soft(m.connected)),
    onInterrupted: () => note(terminal.warn(m.reconnecting)),
    onAway: (reason) => note(terminal.warn(m.receiverAway(given.url, reason))),
    onReset: () => note(terminal.bad(m.eventsMissing)),
    onForwarded(event, { status, latencyMs }) {
      const type = webhookTypeOf(event);
      if (json) return terminal.json({ type, id: event.id, callId: event.callId, at: event.at, status, latencyMs });
      const colour = status >= 200 && status < 300 ? terminal.good : terminal.bad;
      const time = terminal.soft(format.time(event.at));
      terminal.line(`${time}  ${type.padEnd(14)}  ${event.callId}  ${colour(String(status))}  ${latencyMs} ms`);
    },
  });
}

/** An address without a scheme is plain HTTP: receivers here are on the developer's machine. */
export function receiverUrl({ m }: Context, address: string): string {
  try {
    return new URL(/^https?:\/\//.test(address) ? address : `http://${address}`).href;
  } catch {
    throw new Failure(m.notAnAddress(address), exitCodes.usage);
  }
}

function typesOf({ m }: Context, text: string | undefined): readonly WebhookType[] {
  if (text === undefined) return webhookTypes;
  const wanted = text.split(',').map((each) => each.trim());
  const unknown = wanted.filter((each) => !(webhookTypes as readonly string[]).includes(each));
  if (unknown.length > 0) {
    throw new Failure(m.unknownTypes(unknown.join(', ')), exitCodes.usage, m.thereAre(webhookTypes.join(', ')));
  }
  return wanted as WebhookType[];
}
