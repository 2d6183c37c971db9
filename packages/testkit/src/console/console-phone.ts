import type { Locator, Page } from 'playwright-core';
import { eventually } from '../eventually';
import type { ConsoleWindow } from './open-console';

/**
 * Every peer connection of the page, the latest last: what arrives can be measured only there. And whatever the phone has shown: some of
 * it passes too quickly to be waited for.
 */
const LISTEN = `{
  const Native = RTCPeerConnection;
  globalThis.connections = [];
  globalThis.RTCPeerConnection = class extends Native {
    constructor(...args) { super(...args); connections.push(this); }
  };
  globalThis.shown = new Set();
  const note = () => document.querySelectorAll('section[aria-label] p, section[aria-label] span').forEach(
    ({ textContent }) => shown.add(textContent));
  new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true });
}`;

const READ_SOUND = `(async () => {
  const open = connections.filter(({ connectionState }) => connectionState !== 'closed').at(-1);
  const reports = open ? [...(await open.getStats()).values()] : [];
  const inbound = reports.find(({ type }) => type === 'inbound-rtp');
  return { packets: inbound?.packetsReceived ?? 0, energy: inbound?.totalAudioEnergy ?? 0 };
})()`;

interface Sound {
  packets: number;
  energy: number;
}

/** Longer than the pauses in what the test carrier says, and than those between the beeps of Chromium's microphone. */
const PACKETS = 125;

/** The phone of a console window, as its user sees and hears it. */
export interface ConsolePhone {
  page: Page;
  dock: Locator;
  open(): Promise<void>;
  /** Waits until the dock shows the text. */
  says(text: string | RegExp): Promise<void>;
  /** Waits until it has shown the text, however briefly, since the page was loaded or `forget` was called. */
  hasSaid(text: string): Promise<void>;
  forget(): Promise<void>;
  press(name: string): Promise<void>;
  dial(number: string): Promise<void>;
  /** Sound arrives, not only packets. */
  hears(): Promise<void>;
  /** Packets arrive, and all of them are silent. */
  hearsSilence(): Promise<void>;
}

/** Before the page is opened: sound is measured from then on. */
export async function listenIn({ context }: Pick<ConsoleWindow, 'context'>): Promise<void> {
  await context.addInitScript(LISTEN);
}

export function phoneOf(page: Page): ConsolePhone {
  const dock = page.getByRole('region', { name: /^(Telefone|Phone)$/ });
  const sound = (): Promise<Sound> => page.evaluate<Sound>(READ_SOUND);

  /** How much louder it got while this many packets arrived. */
  async function heardInAWhile(): Promise<number> {
    const before = await sound();
    const after = await eventually(async () => {
      const now = await sound();
      // Another connection has taken the place of the one before.
      if (now.packets < before.packets) return now;
      return now.packets >= before.packets + PACKETS ? now : undefined;
    });
    return after.energy - before.energy;
  }

  const phone: ConsolePhone = {
    page,
    dock,
    async open() {
      const toggle = dock.getByRole('button', { expanded: false, name: /Abrir telefone|Open phone/ });
      await toggle.or(dock.getByRole('button', { expanded: true })).waitFor();
      if (await toggle.isVisible()) await toggle.click();
    },
    async says(text) {
      try {
        await dock.getByText(text).first().waitFor();
      } catch (error) {
        throw new Error(`the phone does not say ${String(text)} but: ${await dock.innerText()}`, { cause: error });
      }
    },
    hasSaid: async (text) =>
      void (await eventually(() =>
        page.evaluate<boolean>(`[...shown].some((each) => each.includes(${JSON.stringify(text)}))`),
      )),
    forget: () => page.evaluate('shown.clear()'),
    press: async (name) => dock.getByRole('button', { name, exact: true }).click(),
    async dial(number) {
      await phone.open();
      await dock.getByRole('textbox').fill(number);
      await dock.getByRole('textbox').press('Enter');
    },
    hears: async () => void (await eventually(async () => (await heardInAWhile()) > 0.001)),
    hearsSilence: async () => void (await eventually(async () => Math.abs(await heardInAWhile()) < 0.000_001)),
  };
  return phone;
}
