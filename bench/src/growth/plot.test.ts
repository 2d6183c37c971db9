import { plot } from './plot';

const curve = (job: string, ...costs: number[]) => ({
  job,
  points: costs.map((cpuMs, nth) => ({ size: 10 ** (nth + 1), cpuMs })),
});
const labelHeights = (picture: string): number[] =>
  [...picture.matchAll(/y="([\d.]+)" style=/g)].map(([, height]) => Number(height)).sort((a, b) => a - b);

test('a plot names each curve with its last cost, and no two names cover each other', () => {
  const curves = [curve('one', 1, 1.2), curve('two', 1, 1.21), curve('three', 0.9, 1.19)];
  const picture = plot({ axis: 'calls', title: 'calls', curves });
  expect(picture).toContain('>one 1.20<');
  expect(picture).toContain('>100</text>');
  const [first, second, third] = labelHeights(picture);
  expect(second! - first!).toBeGreaterThanOrEqual(13);
  expect(third! - second!).toBeGreaterThanOrEqual(13);
});

test('curves of a single size are a point each', () => {
  expect(plot({ axis: 'calls', title: 'calls', curves: [curve('one', 1)] })).not.toContain('NaN');
});
