import type { PhoneAccess } from './api';

export type IceAccess = Pick<PhoneAccess, 'iceServers' | 'iceServersExpireAt'>;

export interface IceRenewalOptions {
  ask: () => Promise<IceAccess>;
  onRenewed: (access: IceAccess) => void;
}

/** How long before their end the credentials of TURN servers are renewed, and the shortest time between two attempts. */
const RENEWAL_MS = 60_000;

/** The credentials of TURN servers are short-lived: asks for new ones before the present ones end. */
export function createIceRenewal({ ask, onRenewed }: IceRenewalOptions) {
  let timer: ReturnType<typeof setTimeout> | undefined;

  function plan(expireAt: string | null): void {
    clearTimeout(timer);
    if (expireAt === null) return;
    const dueMs = Math.max(RENEWAL_MS, Date.parse(expireAt) - Date.now() - RENEWAL_MS);
    const planned = setTimeout(() => void renew(expireAt, planned), dueMs);
    timer = planned;
  }

  async function renew(expireAt: string, planned: typeof timer): Promise<void> {
    const renewed = await ask().catch(() => undefined);
    if (planned !== timer) return;
    if (renewed !== undefined) onRenewed(renewed);
    plan(renewed === undefined ? expireAt : renewed.iceServersExpireAt);
  }

  return {
    plan,
    stop(): void {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
