import type { Call, LiveEvent, Sabia } from '@sabia/client';
import type { Command } from 'commander';
import { accountFor } from '../context';
import type { Context } from '../context';
import { Failure, exitCodes } from '../failure';
import { optionsOf } from './command';
import type { AddCommands } from './command';
import { addCallShow } from './call-show';

interface CallOptions {
  extension?: string;
  metadata?: string;
  follow: boolean;
}

export const addCall: AddCommands = (parent, context) => {
  const { m, terminal } = context;
  const call = parent
    .command('call')
    .description(m.call)
    .argument('[number]', m.callNumber)
    .option('-e, --extension <ramal>', m.callExtension)
    .option('--metadata <json>', m.callMetadata)
    .option('--no-follow', m.callNoFollow)
    .action(async (number: string | undefined, _options: unknown, command: Command) => {
      if (number === undefined) return command.help({ error: true });
      const options = optionsOf<CallOptions>(command);
      const { sabia } = accountFor(context, options);
      const body = {
        called: number,
        extension: options.extension ?? (await ownExtension(context, sabia)),
        metadata: metadataOf(context, options.metadata),
      };
      if (!options.follow) {
        const placed = await sabia.calls.create(body);
        return options.json ? terminal.json(placed) : terminal.line(placed.id);
      }
      await placeAndFollow(context, sabia, body, options.json ?? false);
    });

  addCallShow(call, context);

  call
    .command('hangup')
    .description(m.hangUp)
    .argument('<id>', m.callId)
    .action(async (id: string, _options: unknown, command: Command) => {
      const options = optionsOf(command);
      const ended = await accountFor(context, options).sabia.calls.hangUp(id);
      if (options.json) terminal.json(ended);
      else terminal.line(m.hungUp);
    });
};

/** The one of the caller, or the first whose softphone is registered. */
async function ownExtension({ m }: Context, sabia: Sabia): Promise<string> {
  const { extension } = await sabia.extensions.phone().catch(() => ({ extension: undefined }));
  if (extension?.registered) return extension.ramal;
  const registered = (await sabia.extensions.list()).find((each) => each.registered);
  const found = registered ?? extension;
  if (!found) throw new Failure(m.noExtension, exitCodes.refused, m.extensionAdvice);
  return found.ramal;
}

function metadataOf({ m }: Context, text: string | undefined): Record<string, unknown> | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new Failure(m.notAnObject('--metadata'), exitCodes.usage);
}

/** The stream is open before the call is placed, so that nothing of it is missed. Ctrl-C hangs up; a second one leaves. */
async function placeAndFollow(
  context: Context,
  sabia: Sabia,
  body: Parameters<Sabia['calls']['create']>[0],
  json: boolean,
): Promise<void> {
  const { terminal, m, interrupted } = context;
  const left = new AbortController();
  const events = sabia.events({
    types: ['call.*'],
    signal: left.signal,
    onCursor: () => opened(),
    onInterrupted: () => terminal.note(m.reconnecting),
  });
  let opened = (): void => undefined;
  const open = new Promise<void>((resolve) => (opened = resolve));
  const first = events.next();
  await Promise.race([open, first]);
  const { id } = await sabia.calls.create(body).catch((error: unknown) => {
    left.abort();
    throw error;
  });
  interrupted.addEventListener('abort', () => void sabia.calls.hangUp(id).catch(() => left.abort()), { once: true });
  if (!json) terminal.line(terminal.soft(m.callPlaced(id, body.extension ?? '', body.called ?? '')));

  let answered = false;
  for (let next = await first; !next.done; next = await events.next()) {
    const event = next.value;
    if (!('callId' in event) || event.callId !== id) continue;
    answered ||= event.type === 'call.answered';
    if (json) terminal.json(event);
    else terminal.line(describe(context, event));
    if (event.type === 'call.rated') break;
    if (event.type === 'call.ended' && !answered) break;
  }
  left.abort();
  const call = await sabia.calls.get(id);
  if (!json) terminal.line(terminal.bold(summaryOf(context, call)));
  if (call.answered_at === null) throw new Failure(m.notAnswered(call.hangup_cause ?? ''), exitCodes.notAnswered);
}

function describe({ m, terminal, format }: Context, event: LiveEvent): string {
  const time = terminal.soft(format.time(event.at));
  switch (event.type) {
    case 'call.created':
      return `${time}  ${m.stepCreated}`;
    case 'call.ringing':
      return `${time}  ${m.stepRinging}`;
    case 'call.answered':
      return `${time}  ${terminal.good(m.stepAnswered)}`;
    case 'call.ended':
      return `${time}  ${m.stepEnded(event.hangupCause ?? '–', format.duration(event.duration))}`;
    case 'call.recorded':
      return `${time}  ${m.stepRecorded}`;
    case 'call.rated':
      return `${time}  ${m.stepRated(format.money(event.callPrice), format.money(event.minutePrice))}`;
    default:
      return `${time}  ${event.type}`;
  }
}

function summaryOf({ m, format }: Context, call: Call): string {
  return m.callSummary(call.to, format.duration(call.duration), format.money(call.call_price));
}
