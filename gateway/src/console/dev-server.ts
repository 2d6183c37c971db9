import type { RequestHandler } from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { CONSOLE_PATH } from './console-pages';

/**
 * For work on the console: its pages come from Vite's development server, through the gateway, so that the session's cookie and
 * the check of the origin are those of production.
 */
export function createConsoleDevProxy(target: string): RequestHandler {
  return createProxyMiddleware({ target, changeOrigin: true, pathFilter: CONSOLE_PATH });
}
