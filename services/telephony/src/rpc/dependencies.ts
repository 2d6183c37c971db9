import type { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { KeptAnswer } from '@sabia/service-kit/idempotency';
import type { Logger } from '@sabia/service-kit/logging';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { Batcher } from '@sabia/service-kit/work/batcher';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Billing } from '../clients/billing';
import type { Extensions } from '../clients/extensions';
import type { Webhook } from '../clients/webhook';
import type { RecordingUrls } from '../domain/recording-url';
import type { Registration } from '../domain/registration';
import type { Trunk, TrunkState } from '../domain/trunk';
import type { KnownExtensions } from '../placing/known-extensions';
import type { Placement } from '../placing/placement';
import type { ExtensionName } from '../switch/port';
import type { Mp3Copies } from '../recordings/mp3-copies';
import type { RecordingStore } from '../recordings/store';

/** Knows the registered softphones. */
export interface Registrar {
  /** As of now, even if the registration has not been published yet. */
  isRegistered(extension: ExtensionName): Promise<boolean>;
  find(extension: ExtensionName): Promise<Registration | undefined>;
  throwOut(extension: ExtensionName): Promise<void>;
}

/** The parts that the rpcs share; each rpc takes only what it uses. */
export interface Dependencies {
  database: Database;
  /** Whether the database hands over binary rows. */
  binaryRows: boolean;
  extensions: Extensions;
  /** By the names of their idempotency keys; whoever asks at the same time shares a statement. */
  keptAnswers: Batcher<Buffer, KeptAnswer | undefined>;
  knownExtensions: Pick<KnownExtensions, 'find'>;
  billing: Pick<Billing, 'moneyOf'>;
  webhook: Webhook;
  placement: Placement;
  registrar: Registrar;
  /** The carriers of the configuration. */
  trunks: readonly Trunk[];
  /** Asks the switches. */
  trunkStates: () => Promise<TrunkState[]>;
  store: RecordingStore;
  mp3Copies: Mp3Copies;
  urls: RecordingUrls;
  /** The country of numbers without a country code. */
  phoneCountry: CountryCode;
  /** How long an extension may ring. */
  ringSeconds: number;
  log: Logger;
  now: () => Date;
  /** Wakes the drivers of the switches. */
  poke: () => void;
}

export type Handler<Rpc extends keyof TelephonyServiceService> = NonNullable<Handlers<TelephonyServiceService>[Rpc]>;
