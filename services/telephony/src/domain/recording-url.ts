import { createHmac, timingSafeEqual } from 'node:crypto';

export interface RecordingUrls {
  /** Stable: the same for as long as the secret is. */
  urlOf(callId: string): string;
  isSignedBy(callId: string, signature: string): boolean;
}

/** A link that a person can open in a player: whoever holds it may listen, and nobody can make one up. */
export function createRecordingUrls(options: { publicUrl: string; secret: string }): RecordingUrls {
  const base = options.publicUrl.replace(/\/+$/, '');
  const sign = (callId: string): Buffer => createHmac('sha256', options.secret).update(`recording:${callId}`).digest();
  return {
    urlOf: (callId) => `${base}/api/v1/recordings/${callId}.wav?signature=${sign(callId).toString('base64url')}`,
    isSignedBy(callId, signature) {
      const given = Buffer.from(signature, 'base64url');
      const right = sign(callId);
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}
