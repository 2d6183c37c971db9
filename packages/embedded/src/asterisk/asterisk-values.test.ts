import { audioPortsOf } from './asterisk-values';

test.each([1, 2, 3, 7, 8])(
  '%d nodes share the audio ports: each begins with an even one, and none has two owners',
  (nodes) => {
    const ranges = Array.from({ length: nodes }, (_, node) => audioPortsOf(node, nodes));
    expect([ranges[0]?.start, ranges.at(-1)?.end]).toEqual([10_000, 14_999]);
    for (const [nth, { start, end }] of ranges.entries()) {
      expect(start % 2).toBe(0);
      expect(end - start).toBeGreaterThan(600);
      expect(ranges[nth + 1]?.start ?? end + 1).toBe(end + 1);
    }
  },
);
