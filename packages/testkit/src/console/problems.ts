import type { BrowserContext, ConsoleMessage, Page, Request, Response } from 'playwright-core';

/** Chromium writes this for every 4xx answer; whether one is right is for the test to say. 5xx and 429 are noted as such. */
const REFUSAL = /^Failed to load resource: the server responded with a status of \d{3}/;

/** Notes whatever should not happen in the pages of a context. The returned list grows while the context is used. */
export async function watchForProblems(
  context: BrowserContext,
  gatewayUrl: string,
  tolerates: readonly RegExp[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const note = (problem: string): void => {
    if (!tolerates.some((pattern) => pattern.test(problem))) problems.push(problem);
  };
  const own = new URL(gatewayUrl).host;
  const foreign = (address: string): boolean => {
    const { protocol, host } = new URL(address);
    return !['data:', 'blob:', 'about:'].includes(protocol) && host !== own;
  };

  await context.exposeBinding('noteViolation', ({ page }, violation: string) =>
    note(`Content-Security-Policy at ${page.url()}: ${violation}`),
  );
  await context.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
    noteViolation(event.effectiveDirective + ' refused ' + (event.blockedURI || event.sample)))`);

  context.on('weberror', (error) => note(`uncaught: ${error.error().stack ?? error.error().message}`));
  context.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error' && !REFUSAL.test(message.text()))
      note(`console.error at ${message.page()?.url() ?? 'a page'}: ${message.text()}`);
  });
  context.on('request', (request: Request) => {
    if (foreign(request.url())) note(`request to another origin: ${request.url()}`);
  });
  context.on('response', (response: Response) => {
    // No user works so fast that the console may meet a rate limit.
    if (response.status() >= 500 || response.status() === 429)
      note(`${response.request().method()} ${response.url()} answered ${response.status()}`);
  });
  context.on('page', (page: Page) =>
    page.on('websocket', (socket) => {
      if (foreign(socket.url())) note(`connection to another origin: ${socket.url()}`);
    }),
  );
  return problems;
}
