import { randomBytes, randomInt } from 'node:crypto';
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { answerTo, branchOf, headerOf, parseSip, requestOf, tagOf, userOf, type SipMessage } from './sip-message';
import { register, type SipUser } from './sip-registration';

export interface BankCall {
  /** The Call-ID of SIP. */
  readonly id: string;
  /** The called extension, or the called number if the bank is a carrier. */
  readonly called: string;
  readonly caller: string;
  /** By performance.now(). */
  readonly invitedAt: number;
  state: 'ringing' | 'answered' | 'ended';
  /** By performance.now(), and by whom. */
  endedAt?: number;
  endedBy?: 'CANCEL' | 'BYE' | 'this side';
  /** Number of packets received; each is sent back, unless the bank is mute. */
  heard: number;
}

/** What a phone does with a call: picks up, rings until answer() is called, or does not answer the INVITE. */
export type Manner = 'answer' | 'ring' | 'silent';

export interface PhoneBankOptions {
  /** host:port of Asterisk. */
  server: string;
  /** Where it is called. Default: any free port. */
  port?: number;
  /** Where it says to be, if that is not where it is: behind NAT. */
  contact?: string;
  manner?: (called: string) => Manner;
  /** Sends no audio back. */
  mute?: boolean;
  /** Sends audio of its own instead of what it hears, with so many milliseconds between packets. */
  speaks?: (call: BankCall) => number;
  onInvite?: (call: BankCall) => void;
}

interface Dialogue extends BankCall {
  invite: SipMessage;
  peer: RemoteInfo;
  tag: string;
  ssrc: number;
  /** Sends the 200 again until it is acknowledged. */
  insisting?: NodeJS.Timeout;
  speaking?: NodeJS.Timeout;
}

/** T1 of RFC 3261, and the number of attempts after which a message counts as lost. */
const RESEND_MS = 500;
const ATTEMPTS = 20;
/** Request Terminated: the answer to an INVITE that was cancelled. */
const CANCELLED = 487;
/** Of a packet of audio: its header, and 20 ms of silence in PCMA. */
const RTP_HEADER = 12;
const SAMPLES = 160;
const SILENCE = 0xd5;

/**
 * Any number of phones behind one socket: they register, pick up and send back what they hear. No codec and no file, so that
 * hundreds of calls cost little. A test that measures sound uses a Softphone.
 */
export class PhoneBank {
  /** All calls so far, by the Call-ID of SIP. */
  readonly calls = new Map<string, BankCall>();
  private readonly dialogues = new Map<string, Dialogue>();
  private readonly byAudioPort = new Map<number, Dialogue>();
  private readonly waiting = new Map<string, (answer: SipMessage) => void>();
  /** Caller and called number of each INVITE; a repeated INVITE counts once. */
  private readonly invites = new Map<string, { called: string; caller: string }>();

  private constructor(
    private readonly options: PhoneBankOptions,
    private readonly sip: Socket,
    private readonly audio: Socket,
  ) {
    sip.on('message', (bytes, peer) => this.receive(bytes.toString('utf8'), peer));
    audio.on('message', (packet, { port, address }) => this.hear(packet, port, address));
    // An error means that a port is closed for a moment; the missing answer shows it as well.
    for (const socket of [sip, audio]) socket.on('error', () => undefined);
  }

  static async open(options: PhoneBankOptions): Promise<PhoneBank> {
    const [sip, audio] = await Promise.all([bind(options.port), bind()]);
    return new PhoneBank(options, sip, audio);
  }

  /** host:port; as the contact of a trunk it makes the bank a carrier. */
  get address(): string {
    return `127.0.0.1:${this.sip.address().port}`;
  }

  async register(user: SipUser, server = this.options.server): Promise<void> {
    const exchange = (request: string) => this.exchange(request, server);
    await register(user, { own: this.address, expiresSeconds: 600, exchange });
  }

  /** Number of INVITEs to a called number or from a caller. */
  timesInvited(who: { called: string } | { caller: string }): number {
    const all = [...this.invites.values()];
    return all.filter((each) => ('called' in who ? each.called === who.called : each.caller === who.caller)).length;
  }

  get talking(): BankCall[] {
    return [...this.calls.values()].filter(({ state }) => state === 'answered');
  }

  answer({ id }: BankCall): void {
    const dialogue = this.dialogues.get(id);
    if (dialogue?.state === 'ringing') this.pickUp(dialogue);
  }

  /** Refuses a ringing call with 486 or the given status. */
  refuse({ id }: BankCall, status = 486): void {
    const dialogue = this.dialogues.get(id);
    if (dialogue?.state !== 'ringing') return;
    this.send(answerTo(dialogue.invite, { status, reason: 'No', tag: dialogue.tag }), dialogue.peer);
    this.close(dialogue, status === CANCELLED ? 'CANCEL' : 'this side');
  }

  /** `server`: through another one than that which brought the call. */
  async hangUp({ id }: BankCall, server?: string): Promise<void> {
    const dialogue = this.dialogues.get(id);
    if (dialogue === undefined || dialogue.state === 'ended') return;
    const { invite, tag, peer } = dialogue;
    this.close(dialogue, 'this side');
    const uri = /<([^>]+)>/.exec(headerOf(invite, 'contact'))?.[1] ?? '';
    // Who has brought the call stays between only if it has said so.
    const isRouted = headerOf(invite, 'record-route') !== '';
    const caller = isRouted ? `${peer.address}:${peer.port}` : /(?:@|sip:)([^@;]+:\d+)/.exec(uri)?.[1];
    await this.exchange(
      requestOf({
        method: 'BYE',
        uri,
        headers: [
          `Via: SIP/2.0/UDP ${this.address};branch=z9hG4bK${token()};rport`,
          `From: ${headerOf(invite, 'to')};tag=${tag}`,
          `To: ${headerOf(invite, 'from')}`,
          `Call-ID: ${id}`,
          'CSeq: 1 BYE',
        ],
      }),
      server ?? caller,
    );
  }

  /** Ends like phones whose battery is empty, without unregistering. */
  end(): void {
    for (const dialogue of this.dialogues.values()) hush(dialogue);
    this.sip.close();
    this.audio.close();
  }

  private receive(text: string, peer: RemoteInfo): void {
    const message = parseSip(text);
    if (message?.status !== undefined) {
      if (message.status >= 200) this.waiting.get(branchOf(message))?.(message);
    } else if (message !== undefined) {
      this.serve(message, peer);
    }
  }

  private serve(request: SipMessage, peer: RemoteInfo): void {
    const dialogue = this.dialogues.get(headerOf(request, 'call-id'));
    const reply = (status: number, reason: string) =>
      this.send(answerTo(request, { status, reason, tag: dialogue?.tag ?? token() }), peer);
    switch (request.method) {
      case 'INVITE':
        return this.invited(request, peer, dialogue);
      case 'ACK':
        return clearInterval(dialogue?.insisting);
      case 'CANCEL':
        reply(200, 'OK');
        if (dialogue) this.refuse(dialogue, CANCELLED);
        return;
      case 'BYE':
        if (dialogue) this.close(dialogue, 'BYE');
        return reply(200, 'OK');
      default:
        return reply(200, 'OK');
    }
  }

  private invited(invite: SipMessage, peer: RemoteInfo, known: Dialogue | undefined): void {
    const called = userOf(invite.uri ?? '');
    const caller = userOf(headerOf(invite, 'from'));
    const id = headerOf(invite, 'call-id');
    if (tagOf(headerOf(invite, 'to')) === undefined) {
      this.invites.set(`${id} ${headerOf(invite, 'cseq')}`, { called, caller });
    }
    if (known !== undefined) {
      // A repeated INVITE and a re-INVITE get the same answer.
      known.invite = invite;
      if (known.state === 'answered') this.pickUp(known);
      else if (known.state === 'ringing') this.ring(known);
      return;
    }
    const dialogue: Dialogue = {
      ...{ id, called, caller },
      ...{ invitedAt: performance.now(), state: 'ringing', heard: 0 },
      ...{ invite, peer, tag: token(), ssrc: randomInt(2 ** 32) },
    };
    this.dialogues.set(dialogue.id, dialogue);
    this.calls.set(dialogue.id, dialogue);
    this.byAudioPort.set(Number(/^m=audio (\d+)/m.exec(invite.body)?.[1]), dialogue);
    const manner = this.options.manner?.(called) ?? 'answer';
    if (manner === 'answer') this.pickUp(dialogue);
    else this.ring(dialogue);
    this.options.onInvite?.(dialogue);
  }

  private ring({ called, invite, peer, tag }: Dialogue): void {
    if (this.options.manner?.(called) !== 'ring') return;
    this.send(answerTo(invite, { status: 180, reason: 'Ringing', tag, contact: this.contact }), peer);
  }

  private pickUp(dialogue: Dialogue): void {
    const { invite, peer, tag } = dialogue;
    const answer = answerTo(invite, { status: 200, reason: 'OK', tag, contact: this.contact, sdp: this.sdp });
    dialogue.state = 'answered';
    clearInterval(dialogue.insisting);
    let sent = 1;
    dialogue.insisting = setInterval(() => {
      if (sent++ < ATTEMPTS && dialogue.state === 'answered') this.send(answer, peer);
      else clearInterval(dialogue.insisting);
    }, RESEND_MS);
    this.send(answer, peer);
    this.speak(dialogue);
  }

  private speak(dialogue: Dialogue): void {
    if (this.options.speaks === undefined || dialogue.speaking !== undefined) return;
    const address = /^c=IN IP4 (\S+)/m.exec(dialogue.invite.body)?.[1];
    const port = Number(/^m=audio (\d+)/m.exec(dialogue.invite.body)?.[1]);
    const packet = Buffer.alloc(RTP_HEADER + SAMPLES, SILENCE);
    let sent = 0;
    packet.writeUInt16BE(0x8008, 0);
    packet.writeUInt32BE(dialogue.ssrc, 8);
    dialogue.speaking = setInterval(() => {
      sent += 1;
      packet.writeUInt16BE(sent & 0xffff, 2);
      packet.writeUInt32BE(sent * SAMPLES, 4);
      this.audio.send(packet, port, address);
    }, this.options.speaks(dialogue));
  }

  private close(dialogue: Dialogue, endedBy: NonNullable<BankCall['endedBy']>): void {
    if (dialogue.state !== 'ended') Object.assign(dialogue, { state: 'ended', endedAt: performance.now(), endedBy });
    hush(dialogue);
    for (const [port, user] of this.byAudioPort) if (user === dialogue) this.byAudioPort.delete(port);
  }

  private hear(packet: Buffer, port: number, address: string): void {
    const dialogue = this.byAudioPort.get(port);
    if (dialogue?.state !== 'answered' || packet.length < 12) return;
    dialogue.heard += 1;
    if (this.options.mute || this.options.speaks !== undefined) return;
    packet.writeUInt32BE(dialogue.ssrc, 8);
    this.audio.send(packet, port, address);
  }

  private get contact(): string {
    return this.options.contact ?? `sip:bank@${this.address}`;
  }

  private get sdp(): string {
    const { port } = this.audio.address();
    const session = ['v=0', 'o=- 1 1 IN IP4 127.0.0.1', 's=-', 'c=IN IP4 127.0.0.1', 't=0 0'];
    return [...session, `m=audio ${port} RTP/AVP 8`, 'a=rtpmap:8 PCMA/8000', 'a=sendrecv', ''].join('\r\n');
  }

  private send(message: string, { port, address }: { port: number; address: string }): void {
    this.sip.send(message, port, address);
  }

  private exchange(request: string, server = this.options.server): Promise<SipMessage> {
    const [address = '', port] = server.split(':');
    const branch = branchOf(parseSip(request)!);
    return new Promise((resolve, reject) => {
      let sent = 0;
      const settle = (finish: () => void) => {
        clearInterval(timer);
        this.waiting.delete(branch);
        finish();
      };
      const send = () => {
        sent += 1;
        if (sent > ATTEMPTS) settle(() => reject(new Error(`no answer from ${server}`)));
        else this.send(request, { address, port: Number(port) });
      };
      const timer = setInterval(send, RESEND_MS);
      this.waiting.set(branch, (answer) => settle(() => resolve(answer)));
      send();
    });
  }
}

function hush(dialogue: Dialogue): void {
  clearInterval(dialogue.insisting);
  clearInterval(dialogue.speaking);
}

const token = () => randomBytes(8).toString('hex');

async function bind(port = 0): Promise<Socket> {
  // The buffer must hold a burst of calls.
  const socket = createSocket({ type: 'udp4', recvBufferSize: 4 * 1024 * 1024 });
  await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve));
  return socket;
}
