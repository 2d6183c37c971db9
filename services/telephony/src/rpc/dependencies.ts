import type { TelephonyServiceService } from '@sabia/protos/sabia/telephony/v1/service';
import type { Handlers } from '@sabia/service-kit/grpc/handler';
import type { Database } from '@sabia/service-kit/postgres/database';
import type { CountryCode } from 'libphonenumber-js/max';
import type { Extensions } from '../clients/extensions';
import type { Webhook } from '../clients/webhook';
import type { RecordingUrls } from '../domain/recording-url';
import type { Placement } from '../placing/placement';
import type { CallSwitch } from '../switch/port';
import type { Mp3Copies } from '../recordings/mp3-copies';
import type { RecordingStore } from '../recordings/store';

/** The parts that the rpcs share; each rpc takes only what it uses. */
export interface Dependencies {
  database: Database;
  /** Whether the database hands over binary rows. */
  binaryRows: boolean;
  extensions: Extensions;
  webhook: Webhook;
  placement: Placement;
  callSwitch: Pick<CallSwitch, 'isRegistered'>;
  store: RecordingStore;
  mp3Copies: Mp3Copies;
  urls: RecordingUrls;
  /** The country of numbers without a country code. */
  phoneCountry: CountryCode;
  now: () => Date;
  /** Wakes the driver of the switch. */
  poke: () => void;
}

export type Handler<Rpc extends keyof TelephonyServiceService> = NonNullable<Handlers<TelephonyServiceService>[Rpc]>;
