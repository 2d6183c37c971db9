import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { projectRoot } from '@sabia/embedded/project';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../eventually';
import { launchChromium } from './launch-chromium';

export interface WebPhoneOptions {
  /** URL of the gateway (…/sip) or of a SIP edge. */
  url: string;
  /** Where it goes when that one is lost. */
  otherUrls?: readonly string[];
  domain: string;
  ramal: string;
  senha: string;
  /** Default: answers automatically. */
  answers?: 'auto' | 'manual';
}

export interface WebPhoneEvent {
  /** connected, registered, registrationFailed, session, progress, accepted, confirmed, ended, failed, … */
  type: string;
  cause?: string;
  /** The status code of SIP. */
  code?: number;
  originator?: 'local' | 'remote';
}

export interface WebRtpCount {
  sent: number;
  received: number;
  /** Grows while sound is heard. */
  energy: number;
  codec?: string;
  /** How far the connection has come, for the message of a test that fails. */
  transport?: string;
}

let bundle: Promise<string> | undefined;

/** JsSIP in a real browser, with a microphone that beeps. */
export class WebPhone {
  private constructor(
    private readonly browser: Browser,
    private readonly page: Page,
    private readonly server: Server,
  ) {}

  static async start(options: WebPhoneOptions): Promise<WebPhone> {
    bundle ??= bundlePage();
    const [script, browser] = await Promise.all([bundle, launchChromium()]);
    const server = await servePage(script);
    try {
      // The certificates of tests are nobody's.
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      page.setDefaultTimeout(120_000);
      await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
      const phone = new WebPhone(browser, page, server);
      await phone.call('start', { answers: 'auto', ...options });
      return phone;
    } catch (error) {
      await browser.close();
      server.close();
      throw error;
    }
  }

  /** Rejects as soon as the registrar refuses. */
  async waitRegistered(timeoutMs?: number): Promise<void> {
    const event = await this.waitFor(['registered', 'registrationFailed'], timeoutMs);
    if (event.type === 'registrationFailed')
      throw new Error(`not registered: ${event.code ?? ''} ${event.cause ?? ''}`);
  }

  async waitFor(types: string | readonly string[], timeoutMs?: number): Promise<WebPhoneEvent> {
    const wanted = typeof types === 'string' ? [types] : types;
    const find = async () => {
      const events = await this.events();
      const found = events.find(({ type }) => wanted.includes(type));
      if (!found) throw new Error(`no ${wanted.join(' or ')} among ${JSON.stringify(events)}`);
      return found;
    };
    return eventually(find, { timeoutMs });
  }

  async events(): Promise<WebPhoneEvent[]> {
    return this.page.evaluate('phone.log');
  }

  /** Forgets all events and all sound so far. */
  async forget(): Promise<void> {
    await this.call('forget');
  }

  async dial(number: string): Promise<void> {
    await this.call('dial', number);
  }

  async answer(): Promise<void> {
    await this.call('answer');
  }

  async hangup(): Promise<void> {
    await this.call('hangup');
  }

  async rtp(): Promise<WebRtpCount> {
    return this.page.evaluate('phone.rtp()');
  }

  /** Unregisters and closes the browser. */
  async stop(): Promise<void> {
    await this.call('stop').catch(() => undefined);
    await this.waitFor(['unregistered', 'disconnected'], 10_000).catch(() => undefined);
    await this.kill();
  }

  /** Closes the browser without unregistering, like a closed window. */
  async kill(): Promise<void> {
    await this.browser.close();
    this.server.close();
  }

  private async call(method: string, argument?: unknown): Promise<void> {
    await this.page.evaluate(`phone.${method}(${argument === undefined ? '' : JSON.stringify(argument)})`);
  }
}

/** Serves the page: a page without an origin may neither use a microphone nor reach a server of this machine. */
async function servePage(script: string): Promise<Server> {
  const server = createServer((request, response) => {
    const isScript = request.url === '/phone.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(
      isScript ? script : '<!doctype html><title>phone</title><body><script src="/phone.js"></script></body>',
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function bundlePage(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(projectRoot, 'packages/testkit/src/web-phone/page.mjs')],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    define: { global: 'globalThis' },
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
