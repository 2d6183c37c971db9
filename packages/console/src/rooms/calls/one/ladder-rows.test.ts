import { isCatchingUp, ladderRows } from './ladder-rows';
import type { LadderEntry } from './ladder-rows';

const entry = (milliseconds: number, fields: Partial<LadderEntry>): LadderEntry => ({
  at: new Date(milliseconds).toISOString(),
  leg: 'EXTENSION',
  direction: 'OUT',
  party: '1000',
  method: null,
  status: null,
  reason: null,
  attempt: null,
  cseq: null,
  retransmission: false,
  inferred: false,
  ...fields,
});

it('lays the messages of both legs on one ladder', () => {
  const trunk = { leg: 'DESTINATION', party: '551155500101@main' } as const;
  const rows = ladderRows([
    entry(3_500, { ...trunk, direction: 'IN', status: 486, reason: 'Busy Here' }),
    entry(1_000, { method: 'INVITE' }),
    entry(1_100, { direction: 'IN', status: 401, reason: 'Unauthorized' }),
    entry(1_200, { direction: 'IN', status: 180, reason: 'Ringing', inferred: true }),
    entry(2_000, { direction: 'IN', status: 200, reason: 'OK', cseq: '1 INVITE', retransmission: true }),
    entry(2_100, { ...trunk, method: 'INVITE' }),
    entry(4_000, { ...trunk, party: '551155500101@spare', method: 'INVITE' }),
  ]);
  expect(rows).toEqual([
    {
      ...{ lane: 'extension', heads: 'left', label: 'INVITE', tone: 'request', milliseconds: 0, party: '1000' },
      ...{ at: '1970-01-01T00:00:01.000Z', cseq: null, retransmission: false, inferred: false },
    },
    expect.objectContaining({ label: '401 Unauthorized', tone: 'progress' }),
    expect.objectContaining({
      heads: 'right',
      label: '180 Ringing',
      tone: 'progress',
      milliseconds: 200,
      inferred: true,
    }),
    expect.objectContaining({ label: '200 OK', tone: 'success', cseq: '1 INVITE', retransmission: true }),
    expect.objectContaining({ lane: 'destination', heads: 'right', label: 'INVITE', party: '551155500101@main' }),
    expect.objectContaining({
      lane: 'destination',
      heads: 'left',
      label: '486 Busy Here',
      tone: 'refusal',
      milliseconds: 2_500,
    }),
    expect.objectContaining({ party: '551155500101@spare' }),
  ]);
});

it('draws nothing of a call without messages', () => {
  expect(ladderRows([])).toEqual([]);
});

it('waits for the real messages for a while', () => {
  const entries = [entry(1_000, { inferred: true }), entry(60_000, {})];
  expect(isCatchingUp(entries, 5_000)).toBe(true);
  expect(isCatchingUp(entries, 61_000)).toBe(false);
});
