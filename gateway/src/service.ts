import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connectNats } from '@sabia/service-kit/events/nats/connection';
import { createLifecycle } from '@sabia/service-kit/lifecycle';
import { createLogger } from '@sabia/service-kit/logging';
import type { Logger } from '@sabia/service-kit/logging';
import { createTelemetry } from '@sabia/service-kit/telemetry';
import { createApi, pagePaths } from './api';
import { connectRedis } from './clients/redis';
import { followRevocations } from './access/revocations';
import { createServiceClients } from './clients/service-clients';
import type { GatewayConfig } from './config';
import { createReadiness } from './health';
import { createClientIp } from './http/client-ip';
import { createAllowances } from './limits/allowance';
import { createAuthenticator, createTokenLookup } from './access/authenticate';
import { createIdempotency } from './idempotency/idempotency';
import { createIdempotencyStore } from './idempotency/store';
import { createRateLimit } from './limits/rate-limit';
import { createRaisedLimits } from './limits/rate-limit-overrides';
import { createRequestContext } from './http/request-context';
import { createRequestLog } from './http/request-log';
import { createTokenCache } from './access/token-cache';
import type { TokenCache } from './access/token-cache';
import { openApiDocument } from './openapi/document';
import { createConfirmationPage } from './pages/confirmation';
import { docsPage } from './pages/docs';
import { homePage } from './pages/home';
import { createPaymentPages } from './pages/payment';
import { createResetPasswordPage } from './pages/reset-password';
import { createUndoEmailChangePage } from './pages/undo-email-change';
import { createPaymentNotification } from './endpoints/payment-notification';
import { createRecordingLinkEndpoints } from './recordings/recording-link-endpoint';
import { createRecordingEndpoint } from './recordings/recording-endpoint';
import { createRecordingFiles } from './recordings/recording-files';
import { createRecordingUrls } from './recordings/recording-urls';
import { createRpcEndpoint } from './endpoints/rpc-endpoint';
import { createHttpServer, createSipServer } from './server';
import { createSipEndpoint } from './sip/sip-endpoint';
import { createSipProxy, SIP_PATH } from './sip/sip-proxy';
import { createTokenCheck } from './endpoints/token-check';
import { defaultProtoRoot, loadContract } from './contract/contract';
import { buildRoutes } from './contract/routes';

export interface GatewayOverrides {
  log?: Logger;
  /** Folders with protos; the first that has a file wins. */
  protoRoots?: string[];
  now?: () => number;
}

export interface GatewayPorts {
  port: number;
  metricsPort: number;
  /** For web phones alone, where it was asked for. */
  sipPort?: number;
}

export interface Gateway {
  start(): Promise<GatewayPorts>;
  stop(): Promise<void>;
}

const FIRST_CONTACT_MS = 2_000;
const AUTHENTICATE = '/sabia.identity.v1.IdentityService/Authenticate';
const GET_CONFIRMATION = '/sabia.identity.v1.IdentityService/GetConfirmation';
const GET_RECORDING = '/sabia.telephony.v1.TelephonyService/GetRecording';
const GET_RECORDING_LINK = '/sabia.telephony.v1.TelephonyService/GetRecordingLink';
const BILLING = '/sabia.billing.v1.BillingService';

export function createGateway(config: GatewayConfig, overrides: GatewayOverrides = {}): Gateway {
  const { protoRoots = [defaultProtoRoot()], now = Date.now } = overrides;
  const log = overrides.log ?? createLogger({ name: 'gateway', level: config.logLevel });
  const lifecycle = createLifecycle({ log, timeoutMs: config.shutdownTimeoutMs });
  let draining = false;
  const isDraining = (): boolean => draining;

  async function start(): Promise<GatewayPorts> {
    const contract = loadContract(protoRoots);
    const routes = buildRoutes(contract);

    const telemetry = await createTelemetry({
      serviceName: 'gateway',
      otlpEndpoint: config.otlpEndpoint,
      metricsPort: config.metricsPort,
      metricsHost: config.host,
    });
    lifecycle.onStop('telemetry', () => telemetry.shutdown(), 2_000);
    const redis = connectRedis(config.redisUrl, config.redisTimeoutMs, log);
    lifecycle.onStop('redis', () => redis.close());
    const nats = connectNats({ url: config.natsUrl, name: 'gateway', log });
    lifecycle.onStop('nats', () => nats.close());
    const services = createServiceClients(contract, config.addresses, {
      telemetry,
      timeoutMs: config.requestTimeoutMs,
    });
    lifecycle.onStop('service clients', () => services.forEach((client) => client.close()));
    const callOf = (serviceName: string, path: string) => services.get(serviceName)!.method(path);

    const revocations = followRevocations(nats, () => tokens, log);
    lifecycle.onStop('revocations', () => revocations.close());
    const tokens: TokenCache = createTokenCache({
      lookup: createTokenLookup(callOf('identity', AUTHENTICATE), randomUUID),
      isUsable: () => revocations.isHearing(),
      ttlMs: config.tokenCacheTtlMs,
      maximum: config.tokenCacheSize,
      now,
    });
    const authenticator = createAuthenticator(tokens, config);
    const idempotency = createIdempotency({
      store: createIdempotencyStore(redis),
      log,
      requestTimeoutMs: config.requestTimeoutMs,
    });
    const recordings = { files: createRecordingFiles(config.recordingsPath), urls: createRecordingUrls() };
    lifecycle.onStop('recordings', () => recordings.urls.close());
    const sipEndpoint = (path: string) => createSipEndpoint(path, config.sipWsUrl !== undefined);
    const manners = {
      authenticator,
      rateLimit: createRateLimit(redis),
      allowances: createAllowances(config.limits, createRaisedLimits(config.limitOverrides)),
      log,
    };
    const api = createApi({
      ...manners,
      pages: pagePaths,
      endpoints: [
        ...routes.map((route) => createRpcEndpoint(route, callOf(route.rpc.serviceName, route.rpc.path), idempotency)),
        createTokenCheck(authenticator),
        createConfirmationPage(callOf('identity', GET_CONFIRMATION)),
        createResetPasswordPage(),
        createUndoEmailChangePage(),
        createRecordingEndpoint(callOf('telephony', GET_RECORDING), recordings),
        ...createRecordingLinkEndpoints(callOf('telephony', GET_RECORDING_LINK)),
        sipEndpoint(SIP_PATH),
        ...createPaymentPages({
          getPaymentPage: callOf('billing', `${BILLING}/GetPaymentPage`),
          paySandboxCharge: callOf('billing', `${BILLING}/PaySandboxCharge`),
        }),
        createPaymentNotification(callOf('billing', `${BILLING}/HandlePaymentNotification`)),
      ],
    });

    // Or the first requests would be counted by this process alone.
    await redis.firstContact(FIRST_CONTACT_MS);
    const clientIp = createClientIp(config.trustedProxies);
    const document = openApiDocument(routes, config);
    const line = {
      context: createRequestContext({
        telemetry,
        clientIp,
        timeoutMs: config.requestTimeoutMs,
        bodyLimitBytes: config.bodyLimitBytes,
        isDraining,
        onFinished: createRequestLog(log, telemetry),
      }),
      sip:
        config.sipWsUrl === undefined
          ? undefined
          : createSipProxy({
              url: config.sipWsUrl,
              socketsPerAddress: config.sipSocketsPerAddress,
              ...{ clientIp, redis, log, telemetry, isDraining },
            }),
      tls: config.tls,
      requestTimeoutMs: config.requestTimeoutMs,
    };
    const server = createHttpServer({
      ...{ ...line, api, log },
      readiness: createReadiness({ services, redis, isHearingRevocations: () => revocations.isHearing(), isDraining }),
      pages: { home: homePage(config.publicUrl), docs: docsPage(document), openApi: JSON.stringify(document) },
    });
    const sipServer = createSipServer({
      ...line,
      api: createApi({ ...manners, endpoints: [sipEndpoint('/'), sipEndpoint(SIP_PATH)] }),
    });
    const port = await server.listen(config.host, config.port);
    lifecycle.onStop('http server', async () => {
      draining = true;
      await delay(config.drainDelayMs);
      await Promise.all([server, sipServer].map((each) => each.drain(config.requestTimeoutMs)));
    });
    const sipPort = config.sipWsPort === undefined ? undefined : await sipServer.listen(config.host, config.sipWsPort);
    log.info({ port, sipPort, metricsPort: telemetry.metricsPort, routes: routes.length }, 'gateway is listening');
    return { port, metricsPort: telemetry.metricsPort, sipPort };
  }

  return {
    async start() {
      try {
        return await start();
      } catch (error) {
        await lifecycle.stop();
        throw error;
      }
    },
    stop: () => lifecycle.stop(),
  };
}
