import { randomUUID } from 'node:crypto';
import { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import { createChassis } from '@sabia/service-kit/chassis';
import type { ChassisParts, Service } from '@sabia/service-kit/chassis';
import type { Logger } from '@sabia/service-kit/logging';
import { createCallMetrics } from './call-metrics';
import { createBillingClient } from './clients/billing';
import { createExtensionsClient } from './clients/extensions';
import { createWebhookClient } from './clients/webhook';
import type { Config } from './config';
import { createRecordingUrls } from './domain/recording-url';
import { createRoutes } from './domain/trunk-route';
import { lineOf } from './domain/waiting-line';
import { createCallProgress } from './driving/call-progress';
import { createEngine } from './driving/engine';
import { createFleet } from './driving/fleet';
import { createLeftCalls } from './driving/left-calls';
import { createLostCalls } from './driving/lost-calls';
import { createTellAgain } from './driving/tell-again';
import { onAccountLimited } from './events/on-account-limited';
import { onAccountTold } from './events/on-account-told';
import { onCallRated } from './events/on-call-rated';
import { onExtensionChanged } from './events/on-extension-changed';
import { findKeptAnswers } from '@sabia/service-kit/postgres/idempotency-keys';
import { keyCleaning } from '@sabia/service-kit/postgres/key-cleaning';
import { createBatcher } from '@sabia/service-kit/work/batcher';
import { createPeriodicWork } from '@sabia/service-kit/work/periodic-work';
import { shorterOf } from './domain/retention';
import { createPartitionKeeper } from './partition-keeper';
import { createAdmission } from './placing/admission';
import { createKnownExtensions } from './placing/known-extensions';
import { createLine } from './placing/line';
import { createLineKeeper } from './placing/line-keeper';
import { createPlacement } from './placing/placement';
import type { Takers } from './placing/taking';
import { createWaitingLine } from './placing/waiting-line';
import { createReservationSweep } from './placing/reservation-sweep';
import { createSwitchLoads } from './placing/switch-loads';
import { createRecordingCleaner } from './recordings/cleaner';
import { closeToOthers } from './recordings/disk-privacy';
import { createDiskStore } from './recordings/disk-store';
import { createRecordingFetcher } from './recordings/fetcher';
import { createMp3Copies } from './recordings/mp3-copies';
import { createS3Store } from './recordings/s3-store';
import { createHandlers } from './rpc/handlers';
import { findPreferences } from './storage/account-zones';
import { copyStateForFormerReplicas } from './storage/call-state';
import { cancelWaiting } from './storage/waiting-line';
import { createAsteriskSide } from './switch/asterisk/asterisk-side';
import { createSignallingCleaner } from './switch/asterisk/capture/signalling-cleaner';
import type { SwitchPlane } from './switch/port';
import type { Clock } from './switch/simulated/clock';
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
    binaryRows: usesBinaryRows(config),
    assemble: (parts) => assemble(config, overrides, parts),
  });
}

function assemble(config: Config, overrides: Overrides, { database, outbox, nats, log, telemetry }: ChassisParts) {
  const { now = () => new Date(), clock } = overrides;
  const { policy, trunks, phoneCountry, recordingsS3, recordingsFolder } = config;
  const metrics = createCallMetrics(telemetry.meter);

  const extensions = createExtensionsClient({ address: config.extensionsAddress, telemetry });
  const knownExtensions = createKnownExtensions({ extensions, nats, log, elapsed: () => performance.now() });
  const billing = createBillingClient({ address: config.billingAddress, telemetry });
  const webhook = createWebhookClient({ address: config.webhookAddress, telemetry });

  const { asterisk, waitSeconds } = config;
  const { meter } = telemetry;
  const routeTo = createRoutes(trunks);
  const keeper = createLineKeeper({ database, waitSeconds, now });
  const carrierLine = createWaitingLine({
    ...{ database, trunks, routeTo, keeper, ringSeconds: policy.ringSeconds, pollMs: config.pollMs, log, now },
    onLeft() {
      line.wake();
      fleet.poke();
    },
  });
  const side =
    asterisk &&
    createAsteriskSide({
      ...{ asterisk, trunks, policy, waitSeconds, database, outbox, nats, extensions, meter, log, now },
      onWaiting: () => carrierLine.poke(),
    });
  const plane: SwitchPlane = side?.plane ?? createSimulatedSwitch({ clock });
  const holder = randomUUID();
  const loads = createSwitchLoads();
  const takers: Takers = new Map();
  const left = createLeftCalls({ database, onLinedUp: () => line.wake(), now });

  const placement = createPlacement({
    database,
    outbox,
    billing,
    loads,
    policy,
    waiting: { routeTo, seconds: waitSeconds },
    maximumLiveCalls: config.maximumLiveCalls,
    log,
    now,
    takers,
    onPlaced(switchName) {
      carrierLine.poke();
      if (switchName === undefined) line.wake();
      else fleet.poke([switchName]);
    },
  });

  const preferencesOf = async (accountId: number) =>
    (await findPreferences(database, accountId)) ?? { timeZone: config.timeZone, areaCode: '' };

  const store = recordingsS3 === undefined ? createDiskStore(recordingsFolder) : createS3Store(recordingsS3);
  const urls = createRecordingUrls({ publicUrl: config.publicUrl, secret: config.recordingSecret });
  const mp3Copies = createMp3Copies({ database, store });

  const { leaseSeconds, absenceSeconds, pollMs } = config;
  const onLinedUp = (): void => line.wake();
  const progress = createCallProgress({
    ...{ database, outbox, plane, policy, metrics, urls, onLinedUp, now },
    onEnded: () => carrierLine.poke(),
  });
  const admit = createAdmission({
    ...{ extensions, placement, phoneCountry, preferencesOf },
    mayWait: (digits) => lineOf(routeTo(digits)) !== undefined,
  });
  const onCallerGone = (channel: string): void =>
    void cancelWaiting(database, channel, now()).then(
      () => carrierLine.poke(),
      (error: unknown) =>
        log.warn({ err: error }, 'the caller of a waiting call has hung up, which could not be noted'),
    );
  const line = createLine({
    ...{ database, loads, keeper, waitSeconds, ringSeconds: policy.ringSeconds, pollMs, log, now },
    onAssigned: (switchNames) => fleet.poke(switchNames),
    end: (callId, cause) => progress.apply({ kind: 'ended', callId, at: now(), cause }),
  });
  const lookForLost = createLostCalls({ database, progress, left, policy, absenceSeconds, onLinedUp, log, now });
  const fleet = createFleet({
    database,
    nats,
    plane,
    createEngine: (callSwitch, isWanting) =>
      createEngine({
        ...{
          database,
          callSwitch,
          progress,
          billing,
          admit,
          onCallerGone,
          takers,
          left,
          metrics,
          policy,
          holder,
          isWanting,
          log,
          now,
        },
        fetchRecordings: createRecordingFetcher({
          ...{ database, outbox, callSwitch, store, mp3Copies, urls, metrics, log, now },
        }),
        leaseSeconds,
        pollMs,
      }),
    lookForLost,
    holder,
    leaseSeconds,
    absenceSeconds,
    log,
  });

  const { callRetentionDays, timelineRetentionDays } = config;
  // No message outlasts its call.
  const captureRetentionDays = shorterOf(config.captureRetentionDays, callRetentionDays);
  const chores = [
    {
      name: 'old recordings',
      everyMs: 3_600_000,
      work: createRecordingCleaner({
        ...{ database, store, retentionDays: config.recordingRetentionDays, callRetentionDays, log, now },
      }),
    },
    {
      name: 'old SIP messages',
      everyMs: 3_600_000,
      work: createSignallingCleaner({ database, retentionDays: captureRetentionDays, now }),
    },
    {
      name: 'partitions',
      everyMs: 600_000,
      work: createPartitionKeeper({ database, callRetentionDays, timelineRetentionDays, log, now }),
    },
    keyCleaning({ database, now }),
    {
      name: 'reservations without a call',
      everyMs: 10_000,
      work: createReservationSweep({ database, billing, log }),
    },
    {
      name: 'ended calls without effect',
      everyMs: 5_000,
      work: createTellAgain({ database, outbox, billing, webhook, urls, log, now }),
    },
    { name: 'count of live calls', everyMs: 5_000, work: () => fleet.count() },
    {
      name: 'state of calls for former replicas',
      everyMs: 1_000,
      work: () => copyStateForFormerReplicas(database),
    },
  ].map(({ name, everyMs, work }) => createPeriodicWork({ name, everyMs, work, log }));

  return {
    handlers: createHandlers({
      database,
      binaryRows: usesBinaryRows(config),
      extensions,
      keptAnswers: createBatcher({
        batchSize: 64,
        patienceMs: 200,
        write: (names: Buffer[]) => findKeptAnswers(database, names, now()),
      }),
      knownExtensions,
      billing,
      webhook,
      placement,
      // The simulated switch has no softphones: every extension counts as registered there.
      registrar: side?.registrations ?? {
        isRegistered: async () => true,
        find: async () => undefined,
        throwOut: async () => undefined,
      },
      trunks,
      trunkStates: side?.trunkStates ?? (async () => []),
      store,
      mp3Copies,
      urls,
      phoneCountry,
      ringSeconds: policy.ringSeconds,
      log,
      now,
      poke() {
        carrierLine.poke();
        line.wake();
        fleet.poke();
      },
    }),
    consumers: [
      onAccountTold,
      onAccountLimited,
      onCallRated(outbox),
      ...(side ? [onExtensionChanged((extension) => side.registrations.throwOut(extension))] : []),
    ],
    async start() {
      if (recordingsS3 === undefined) {
        // Not awaited: it takes a while in a folder that an earlier release has filled.
        closeToOthers(recordingsFolder).catch((error: unknown) =>
          log.warn({ err: error }, 'older recordings may still be readable by other users of this machine'),
        );
      }
      await warmUp({ extensions, billing, plane, phoneCountry });
      side?.start();
      fleet.start();
      line.start();
      carrierLine.start();
      chores.forEach((chore) => chore.start());
    },
    async stop() {
      await Promise.all([fleet.stop(), line.stop(), carrierLine.stop(), ...chores.map((chore) => chore.stop())]);
      await side?.stop();
      knownExtensions.stop();
      extensions.close();
      billing.close();
      await store.close();
      webhook.close();
    },
  };
}

const usesBinaryRows = ({ chassis }: Config): boolean => chassis.plainPaths?.has('binary-rows') !== true;
