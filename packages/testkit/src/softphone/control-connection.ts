import { connect, type Socket } from 'node:net';

export interface SoftphoneEvent {
  /** REGISTER_OK, REGISTER_FAIL, CALL_INCOMING, CALL_RINGING, CALL_ESTABLISHED, CALL_RTPESTAB, CALL_CLOSED, … */
  type: string;
  /** The reason or the status line, such as "486 Busy Here". */
  param?: string;
  id?: string;
  peeruri?: string;
  direction?: 'incoming' | 'outgoing';
}

export interface ControlAddress {
  host: string;
  port: number;
}

interface Answer {
  response: true;
  ok: boolean;
  data: string;
  token: string;
}

/** baresip's ctrl_tcp: JSON in netstrings. */
export class ControlConnection {
  private rest = Buffer.alloc(0);
  private tokens = 0;
  private readonly waiting = new Map<string, (answer: Answer | Error) => void>();

  private constructor(
    private readonly socket: Socket,
    private readonly onEvent: (event: SoftphoneEvent) => void,
  ) {
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    socket.on('error', () => undefined);
    socket.once('close', () => {
      for (const settle of this.waiting.values()) settle(new Error('the softphone hung up on its remote control'));
    });
  }

  static async open(address: ControlAddress, onEvent: (event: SoftphoneEvent) => void): Promise<ControlConnection> {
    const socket = await new Promise<Socket>((resolve, reject) => {
      const attempt = connect(address, () => resolve(attempt));
      attempt.once('error', reject);
    });
    return new ControlConnection(socket, onEvent);
  }

  async command(command: string, params = ''): Promise<string> {
    const token = String((this.tokens += 1));
    const message = Buffer.from(JSON.stringify({ command, params, token }));
    const answer = await new Promise<Answer>((resolve, reject) => {
      this.waiting.set(token, (outcome) => {
        this.waiting.delete(token);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      });
      this.socket.write(Buffer.concat([Buffer.from(`${message.length}:`), message, Buffer.from(',')]));
    });
    if (!answer.ok) throw new Error(`the softphone refuses "${command} ${params}": ${answer.data.trim()}`);
    return answer.data;
  }

  close(): void {
    this.socket.destroy();
  }

  private receive(chunk: Buffer): void {
    this.rest = Buffer.concat([this.rest, chunk]);
    for (;;) {
      const colon = this.rest.indexOf(':');
      if (colon < 0) return;
      const end = colon + 1 + Number(this.rest.subarray(0, colon).toString());
      // The comma at the end is part of the netstring.
      if (this.rest.length < end + 1) return;
      const message = JSON.parse(this.rest.subarray(colon + 1, end).toString('utf8')) as Answer | SoftphoneEvent;
      this.rest = this.rest.subarray(end + 1);
      if ('response' in message) this.waiting.get(message.token)?.(message);
      else this.onEvent(message);
    }
  }
}
