import { chromium, type Browser } from 'playwright-core';
import { findChromium } from './chromium';

/** A browser with a microphone that beeps, which every page may use. */
export async function launchChromium(): Promise<Browser> {
  const { executablePath, args } = await findChromium();
  return chromium.launch({
    executablePath,
    args: [
      ...args,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      '--allow-loopback-in-peer-connection',
      '--autoplay-policy=no-user-gesture-required',
      '--disable-audio-output',
    ],
    // The sandbox needs rights that containers seldom have; the only pages are ours.
    chromiumSandbox: false,
    timeout: 180_000,
  });
}
