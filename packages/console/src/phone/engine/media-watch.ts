export interface MediaWatchOptions {
  connection: Pick<RTCPeerConnection, 'iceConnectionState' | 'addEventListener' | 'removeEventListener'>;
  /** Sends the switch a new offer, on request with new addresses (ICE restart); false: it cannot be asked now. */
  renegotiate: (iceRestart: boolean) => boolean;
  onMedia: (media: 'flowing' | 'reconnecting') => void;
  /** No new way was found in time. */
  onLost: () => void;
}

export interface MediaWatch {
  /** The connection to the switch is back. */
  reconnect(): void;
  close(): void;
}

/** Chromium reports short gaps, too, that close by themselves. */
const PATIENCE_MS = 1_500;
const ANOTHER_TRY_MS = 4_000;
const GIVE_UP_MS = 20_000;
const BUSY_MS = 500;

/** Notices that the audio has lost its way, for instance because the network has changed, and looks for another one. */
export function watchMedia({ connection, renegotiate, onMedia, onLost }: MediaWatchOptions): MediaWatch {
  let next: ReturnType<typeof setTimeout> | undefined;
  let giveUp: ReturnType<typeof setTimeout> | undefined;

  function recover(): void {
    clearTimeout(next);
    giveUp ??= setTimeout(() => {
      close();
      onLost();
    }, GIVE_UP_MS);
    onMedia('reconnecting');
    next = setTimeout(recover, renegotiate(true) ? ANOTHER_TRY_MS : BUSY_MS);
  }

  function settle(): void {
    clearTimeout(next);
    clearTimeout(giveUp);
    giveUp = undefined;
    onMedia('flowing');
  }

  /** In-dialog requests of the switch go to the address of the last request that came from here. */
  function refresh(): void {
    if (!renegotiate(false)) next = setTimeout(refresh, BUSY_MS);
  }

  const flows = (): boolean => ['connected', 'completed'].includes(connection.iceConnectionState);

  function look(): void {
    if (flows()) {
      settle();
    } else if (connection.iceConnectionState === 'failed') {
      recover();
    } else if (connection.iceConnectionState === 'disconnected' && giveUp === undefined) {
      clearTimeout(next);
      next = setTimeout(recover, PATIENCE_MS);
    }
  }

  function close(): void {
    clearTimeout(next);
    clearTimeout(giveUp);
    connection.removeEventListener('iceconnectionstatechange', look);
  }

  connection.addEventListener('iceconnectionstatechange', look);
  return {
    reconnect() {
      clearTimeout(next);
      if (flows()) refresh();
      else recover();
    },
    close,
  };
}
