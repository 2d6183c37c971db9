import { barsOf, peaksOf } from './waveform';

it('finds the loudest sample of each part, relative to the loudest of all', () => {
  expect(peaksOf(Float32Array.from([0, 0.25, -0.5, 0.1]), 2)).toEqual([0.5, 1]);
  expect(peaksOf(new Float32Array(8), 4)).toEqual([0, 0, 0, 0]);
  expect(peaksOf(new Float32Array(0), 2)).toEqual([0, 0]);
});

it('draws a bar for each part, silence included', () => {
  expect(barsOf([1, 0])).toBe('M0.2 0.000h0.6v2.000h-0.6zM1.2 0.960h0.6v0.080h-0.6z');
});
