/** The headers of an INVITE. */
export interface InvitationHeaders {
  getHeader(name: string): string | undefined;
}

export interface Invitation {
  /** The id of the call in the API; undefined: the switch does not tell it. */
  callId: string | undefined;
  /** Legs that take the place of this one have higher numbers; undefined: the switch does not tell it. */
  leg: number | undefined;
  /** The call was placed over the API, and this phone is the caller's end of it. */
  isOwnCall: boolean;
}

const CALL_ID_HEADER = 'X-Sabia-Call';
const LEG_HEADER = 'X-Sabia-Leg';

export function readInvitation(
  headers: InvitationHeaders,
  autoAnswer: { header: string; contains: string },
): Invitation {
  const leg = headers.getHeader(LEG_HEADER)?.trim() ?? '';
  return {
    callId: headers.getHeader(CALL_ID_HEADER)?.trim() || undefined,
    leg: /^\d+$/.test(leg) ? Number(leg) : undefined,
    isOwnCall: headers.getHeader(autoAnswer.header)?.includes(autoAnswer.contains) ?? false,
  };
}
