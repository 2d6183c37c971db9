import { createHmac, timingSafeEqual } from 'node:crypto';

export const audioFormats = ['wav', 'mp3'] as const;

export type AudioFormat = (typeof audioFormats)[number];

export const isAudioFormat = (text: string): text is AudioFormat => (audioFormats as readonly string[]).includes(text);

export const contentTypes: Record<AudioFormat, string> = { wav: 'audio/wav', mp3: 'audio/mpeg' };

export interface RecordingUrls {
  /** The same until the secret changes. */
  urlOf(callId: string, format?: AudioFormat): string;
  /** The signature covers the call id, so it is valid for every format. */
  isSignedBy(callId: string, signature: string): boolean;
}

/** Signed links that open in any player: the bearer of the link may listen. */
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
