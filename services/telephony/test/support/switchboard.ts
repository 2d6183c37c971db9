import { createLogger } from '@sabia/service-kit/logging';
import { eventually } from '@sabia/testkit/eventually';
import { createAriClient, type AriClient } from '../../src/switch/asterisk/ari-client';
import { isGone } from '../../src/switch/asterisk/ari-http';
import type { AriEvent, ChannelDestroyed } from '../../src/switch/asterisk/ari-types';

export interface Switchboard {
  ari: AriClient;
  events: AriEvent[];
  /** Plays on a channel once the application has it: a phone may know that it has answered before Asterisk does. */
  play(channelId: string, media: string): Promise<void>;
  /** The last word on a channel, once it is spoken. */
  ended(channelId: string): ChannelDestroyed | undefined;
  stop(): Promise<void>;
}

export interface SwitchboardOptions {
  ariUrl: string;
  ariUser: string;
  ariPassword: string;
  trunk: string;
}

/** The least that connects two parties: what an extension dials is dialled on the trunk, and who hangs up ends both. */
export async function openSwitchboard(options: SwitchboardOptions): Promise<Switchboard> {
  const events: AriEvent[] = [];
  const peers = new Map<string, string>();
  const log = createLogger({ name: 'switchboard', level: 'silent' });
  let connected: () => void;
  const connection = new Promise<void>((resolve) => (connected = resolve));

  const ari = createAriClient({
    ...{ url: options.ariUrl, user: options.ariUser, password: options.ariPassword, app: 'sabia', log },
    onConnected: () => connected(),
    onEvent: (event) => {
      events.push(event);
      void handle(event).catch((error: unknown) => {
        if (!isGone(error)) events.push(error as AriEvent);
      });
    },
  });

  async function handle(event: AriEvent): Promise<void> {
    if (event.type === 'StasisStart' && event.args[0] === 'from-extension') {
      const a = event.channel.id;
      const b = `${a}-b`;
      peers.set(a, b).set(b, a);
      await ari.createBridge(`${a}-bridge`);
      const endpoint = `PJSIP/${event.args[1]}@${options.trunk}`;
      await ari.createChannel({ endpoint, channelId: b, originator: a, appArgs: 'callee' });
    } else if (event.type === 'StasisStart' && event.args[0] === 'callee') {
      const a = peers.get(event.channel.id) as string;
      await ari.addToBridge(`${a}-bridge`, [a, event.channel.id]);
      await ari.dial(event.channel.id, { caller: a, timeout: 30 });
    } else if (event.type === 'ChannelStateChange' && event.channel.state === 'Up' && peers.has(event.channel.id)) {
      const peer = peers.get(event.channel.id) as string;
      if (event.channel.id.endsWith('-b')) await ari.answer(peer);
    } else if (event.type === 'ChannelDestroyed' && peers.has(event.channel.id)) {
      const peer = peers.get(event.channel.id) as string;
      await ari.hangup(peer, event.cause || 16);
      if (event.channel.id.endsWith('-b')) await ari.destroyBridge(`${peer}-bridge`);
    }
  }

  ari.start();
  await connection;
  return {
    ari,
    events,
    async play(channelId, media) {
      await eventually(() => events.some((event) => event.type === 'StasisStart' && event.channel.id === channelId));
      await ari.play(channelId, media);
    },
    ended: (channelId) =>
      events.find(
        (event): event is ChannelDestroyed => event.type === 'ChannelDestroyed' && event.channel.id === channelId,
      ),
    stop: () => ari.stop(),
  };
}
