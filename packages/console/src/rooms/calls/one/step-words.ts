import type { TimelineEntry } from '@sabia/client';
import { m } from '../../../paraglide/messages';

/** The API tells each step in English; these are the reader's words for it. */
const words: Record<string, () => string> = {
  'call accepted': m.calls_step_call_accepted,
  'waits for a carrier': m.calls_step_waits,
  'waits for a switch': m.calls_step_waits_for_switch,
  'moved up in the line': m.calls_step_moved_up,
  'a carrier has room': m.calls_step_has_room,
  'a switch has room': m.calls_step_switch_has_room,
  'waited too long for a carrier': m.calls_step_waited_too_long,
  'waited too long for a switch': m.calls_step_waited_too_long,
  'caller rings': m.calls_step_caller_rings,
  'caller picked up': m.calls_step_caller_picked_up,
  'destination is being called': m.calls_step_destination_called,
  'destination rings': m.calls_step_destination_rings,
  'destination answered': m.calls_step_destination_answered,
  'the right code was keyed in': m.calls_step_code_right,
  'a wrong code was keyed in': m.calls_step_code_wrong,
  'destination has gone': m.calls_step_destination_gone,
  'caller has gone': m.calls_step_caller_gone,
  'recording failed': m.calls_step_recording_failed,
  'recording begun late': m.calls_step_recording_late,
  'recording ended early': m.calls_step_recording_early,
  'recording stored': m.calls_step_recording_stored,
  'recording stored, part of the call is missing': m.calls_step_recording_part,
  'no word from the trunk': m.calls_step_trunk_silent,
  'warned of the end': m.calls_step_warned,
  'credit reserved': m.calls_step_credit_reserved,
  'rang for too long': m.calls_step_rang_too_long,
  'a party has left and did not come back': m.calls_step_stayed_away,
  'talking time is used up': m.calls_step_talk_used_up,
  'credit extended': m.calls_step_credit_extended,
  'early audio from the destination': m.calls_step_early_audio,
  'an extension is called back': m.calls_step_called_back,
  'an extension is called to take over': m.calls_step_takeover_rings,
  'the transfer failed': m.calls_step_transfer_failed,
  'an extension took over': m.calls_step_took_over,
  'a party has left': m.calls_step_party_left,
  'call ended': m.calls_step_ended,
  'call rated': m.calls_step_rated,
  'deliveries are left out: they cannot be read at the moment': m.calls_step_deliveries_away,
};

export function stepWords(entry: TimelineEntry): string {
  return words[entry.message]?.() ?? deliveryWords(entry) ?? entry.message;
}

function deliveryWords({ kind, detail }: TimelineEntry): string | undefined {
  if (kind !== 'delivery' || detail === null) return undefined;
  const { eventType, gateway, answered, error, attempt, status } = detail;
  const named = { event: String(eventType), receiver: String(gateway) };
  if (attempt === undefined) {
    return status === 'pending' || status === 'retrying'
      ? m.calls_step_delivery_waits(named)
      : m.calls_step_delivery_unsent(named);
  }
  const arrived = typeof answered === 'number' && error === undefined;
  return arrived ? m.calls_step_delivered(named) : m.calls_step_delivery_failed(named);
}

/** An event that no webhook asked for is no step of the call; the card of the deliveries tells why. */
export const isStep = ({ kind, detail }: TimelineEntry): boolean =>
  kind !== 'delivery' || detail?.status !== 'not-matched';
