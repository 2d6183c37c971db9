import { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import { createBillingClient } from './clients/billing';
import { createExtensionsClient } from './clients/extensions';
import { createWebhookClient } from './clients/webhook';
import type { Config } from './config';
import { createRecordingUrls } from './domain/recording-url';
import { onAccountTold } from './events/on-account-told';
import { onCallRated } from './events/on-call-rated';
import { onExtensionChanged } from './events/on-extension-changed';
import { createTellAgain } from './driving/tell-again';
import { createPeriodic } from './periodic';
import { createHandlers } from './rpc/handlers';
import { createKeyCleaner } from './placing/key-cleaner';
import { createAsteriskSide } from './switch/asterisk/asterisk-side';
import { createCallMetrics } from './call-metrics';
import type { Clock } from './switch/simulated/clock';
import { createEngine } from './driving/engine';
import { createRecordingCleaner } from './recordings/cleaner';
import { closeToOthers } from './recordings/disk-privacy';
import { createDiskStore } from './recordings/disk-store';
import { createMp3Copies } from './recordings/mp3-copies';
import { createS3Store } from './recordings/s3-store';
import { createReservationSweep } from './placing/reservation-sweep';
import { createSimulatedSwitch } from './switch/simulated/switch';
import { warmUp } from './warm-up';

export interface Overrides {
  log?: Logger;
  now?: () => Date;
  clock?: Clock;
}

export function createService(config: Config, overrides: Overrides = {}): Service {
  return createChassis({
    name: 'telephony',
    config: config.chassis,
    log: overrides.log,
    definition: TelephonyServiceService,
    assemble: (parts) => assemble(config, overrides, parts),
  });
}

function assemble(config: Config, overrides: Overrides, { database, outbox, nats, log, telemetry }: ChassisParts) {
  const { now = () => new Date(), clock } = overrides;
  const extensions = createExtensionsClient({ address: config.extensionsAddress, telemetry });
  const billing = createBillingClient({ address: config.billingAddress, telemetry });
  const webhook = createWebhookClient({ address: config.webhookAddress, telemetry });
  const store =
    config.recordingsS3 === undefined ? createDiskStore(config.recordingsFolder) : createS3Store(config.recordingsS3);
  const mp3Copies = createMp3Copies({ database, store });
  const urls = createRecordingUrls({ publicUrl: config.publicUrl, secret: config.recordingSecret });
  const parts = { ...config, database, outbox, nats, extensions, billing, webhook, store, mp3Copies, urls, log, now };

  const { asterisk } = config;
  const side = asterisk && createAsteriskSide({ ...parts, asterisk, meter: telemetry.meter });
  const callSwitch = side?.callSwitch ?? createSimulatedSwitch({ clock });
  const engine = createEngine({ ...parts, callSwitch, metrics: createCallMetrics(telemetry.meter) });

  const retentionDays = config.recordingRetentionDays;
  const chores = [
    { name: 'old recordings', everyMs: 3_600_000, work: createRecordingCleaner({ ...parts, retentionDays }) },
    { name: 'expired idempotency keys', everyMs: 600_000, work: createKeyCleaner(parts) },
    { name: 'reservations without a call', everyMs: 10_000, work: createReservationSweep(parts) },
    { name: 'ended calls without effect', everyMs: 5_000, work: createTellAgain(parts) },
    { name: 'count of live calls', everyMs: 5_000, work: () => engine.count() },
  ].map((chore) => createPeriodic({ ...chore, log }));

  return {
    handlers: createHandlers({
      ...parts,
      callSwitch,
      placement: engine.placement,
      poke: () => engine.poke(),
    }),
    consumers: [
      onAccountTold,
      onCallRated,
      ...(side ? [onExtensionChanged((extension) => side.registrations.throwOut(extension))] : []),
    ],
    async start() {
      if (config.recordingsS3 === undefined) {
        // Not waited for: of a folder that an earlier release has filled it takes a while.
        closeToOthers(config.recordingsFolder).catch((error: unknown) =>
          log.warn({ err: error }, 'older recordings may still be readable by other users of this machine'),
        );
      }
      await warmUp({ ...parts, callSwitch });
      side?.start();
      engine.start();
      chores.forEach((chore) => chore.start());
    },
    async stop() {
      await Promise.all([engine.stop(), ...chores.map((chore) => chore.stop())]);
      await side?.stop();
      extensions.close();
      billing.close();
      await store.close();
      webhook.close();
    },
  };
}
