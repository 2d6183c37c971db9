import { createHmac, timingSafeEqual } from 'node:crypto';

export const audioFormats = ['wav', 'mp3'] as const;

export type AudioFormat = (typeof audioFormats)[number];

export const isAudioFormat = (text: string): text is AudioFormat => (audioFormats as readonly string[]).includes(text);

export const contentTypes: Record<AudioFormat, string> = { wav: 'audio/wav', mp3: 'audio/mpeg' };

export interface RecordingUrls {
  /** Stable: the same for as long as the secret is. */
  urlOf(callId: string, format?: AudioFormat): string;
  /** The signature is of the call, and so good for every format. */
  isSignedBy(callId: string, signature: string): boolean;
}

/** A link that a person can open in a player: its bearer may listen, and it cannot be made up. */
export function createRecordingUrls(options: { publicUrl: string; secret: string }): RecordingUrls {
  const base = options.publicUrl.replace(/\/+$/, '');
  const sign = (callId: string): Buffer => createHmac('sha256', options.secret).update(`recording:${callId}`).digest();
  return {
    urlOf: (callId, format = 'wav') =>
      `${base}/api/v1/recordings/${callId}.${format}?signature=${sign(callId).toString('base64url')}`,
    isSignedBy(callId, signature) {
      const given = Buffer.from(signature, 'base64url');
      const right = sign(callId);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
