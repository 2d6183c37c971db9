import { rate, readCounts } from './quality';
import type { MediaCounts } from './quality';

const before: MediaCounts = { at: 0, received: 100, lost: 0, jitter: 0.002, roundTrip: 0.02, energy: 1 };

test.each([
  ['a perfect line', { received: 150, energy: 2 }, { rating: 'good', loss: 0, hearsSound: true }],
  ['a line that loses three packets of fifty', { received: 147, lost: 3, energy: 2 }, { rating: 'fair', loss: 0.06 }],
  ['a line that loses every fifth packet', { received: 140, lost: 10, energy: 2 }, { rating: 'poor', loss: 0.2 }],
  ['a slow line', { received: 150, roundTrip: 0.9, energy: 2 }, { rating: 'poor', roundTripMs: 900 }],
  ['nothing arrives', {}, { rating: 'poor', loss: 1, hearsSound: false }],
  ['packets of silence', { received: 150 }, { rating: 'good', hearsSound: false }],
])('%s', (_name, changes, expected) => {
  expect(rate(before, { ...before, at: 1000, ...changes })).toMatchObject(expected);
});

test('counts are read from the report of the browser', () => {
  const report = [
    { type: 'inbound-rtp', kind: 'video', packetsReceived: 7 },
    { type: 'inbound-rtp', kind: 'audio', packetsReceived: 50, packetsLost: -1, jitter: 0.004, totalAudioEnergy: 0.5 },
    { type: 'remote-inbound-rtp', roundTripTime: 0.03 },
    { type: 'candidate-pair', nominated: true, currentRoundTripTime: 0.5 },
  ];
  expect(readCounts(report, 5)).toEqual({ at: 5, received: 50, lost: -1, jitter: 0.004, roundTrip: 0.03, energy: 0.5 });
  expect(readCounts([], 5)).toBeUndefined();
});
