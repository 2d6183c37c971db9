import {
  CallAnswered,
  CallCreated,
  CallEnded,
  CallPriced,
  CallRecorded,
  CallRinging,
  ExtensionDisplaced,
  ExtensionRegistered,
  ExtensionUnregistered,
} from '../../generated/sabia/telephony/v1/events';
import { defineEvent } from './define-event';

export const telephonyEvents = {
  callCreated: defineEvent('telephony.call.created', CallCreated),
  callRinging: defineEvent('telephony.call.ringing', CallRinging),
  callAnswered: defineEvent('telephony.call.answered', CallAnswered),
  callEnded: defineEvent('telephony.call.ended', CallEnded),
  callRecorded: defineEvent('telephony.call.recorded', CallRecorded),
  callPriced: defineEvent('telephony.call.priced', CallPriced),
  extensionRegistered: defineEvent('telephony.extension.registered', ExtensionRegistered),
  extensionUnregistered: defineEvent('telephony.extension.unregistered', ExtensionUnregistered),
  extensionDisplaced: defineEvent('telephony.extension.displaced', ExtensionDisplaced),
};
