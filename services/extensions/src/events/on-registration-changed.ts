import { telephonyEvents } from '@sabia/protos/events/telephony';
import { defineConsumer } from '@sabia/service-kit/events/consumer/definition';
import { markDisplaced, markRegistered, markUnregistered } from '../storage/registrations';

const { extensionRegistered, extensionUnregistered, extensionDisplaced } = telephonyEvents;

const marks = {
  [extensionRegistered.type]: markRegistered,
  [extensionUnregistered.type]: markUnregistered,
  [extensionDisplaced.type]: markDisplaced,
};

/** Every event that extensions handles, in one consumer, so that the events of an extension keep their order. */
export const onRegistrationChanged = defineConsumer({
  durable: 'extensions-registrations',
  events: [extensionRegistered, extensionUnregistered, extensionDisplaced],
  async handle({ type, message: { domain, ramal, at }, occurredAt }, tx) {
    await marks[type](tx, { domain, ramal }, at ?? occurredAt);
  },
});
