import { ladderRows } from './ladder-rows';
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
  inferred: false,
  ...fields,
});

it('lays the messages of both legs on one ladder', () => {
  const trunk = { leg: 'DESTINATION', party: '551155500101@main' } as const;
  const rows = ladderRows([
    entry(3_500, { ...trunk, direction: 'IN', status: 486, reason: 'Busy Here' }),
    entry(1_000, { method: 'INVITE' }),
    entry(1_200, { direction: 'IN', status: 180, reason: 'Ringing', inferred: true }),
    entry(2_000, { direction: 'IN', status: 200, reason: 'OK' }),
    entry(2_100, { ...trunk, method: 'INVITE' }),
    entry(4_000, { ...trunk, party: '551155500101@spare', method: 'INVITE' }),
  ]);
  expect(rows).toEqual([
    { lane: 'extension', heads: 'left', label: 'INVITE', tone: 'request', seconds: 0, party: '1000', inferred: false },
    { lane: 'extension', heads: 'right', label: '180 Ringing', tone: 'progress', seconds: 0.2, inferred: true },
    { lane: 'extension', heads: 'right', label: '200 OK', tone: 'success', seconds: 1, inferred: false },
    expect.objectContaining({ lane: 'destination', heads: 'right', label: 'INVITE', party: '551155500101@main' }),
    expect.objectContaining({
      lane: 'destination',
      heads: 'left',
      label: '486 Busy Here',
      tone: 'refusal',
      seconds: 2.5,
    }),
    expect.objectContaining({ party: '551155500101@spare' }),
  ]);
});

it('draws nothing of a call without messages', () => {
  expect(ladderRows([])).toEqual([]);
});
