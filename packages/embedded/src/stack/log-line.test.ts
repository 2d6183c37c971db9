import { isAtLeast, parseLogLine } from './log-line';

describe('parseLogLine', () => {
  it('shortens a JSON line to level, message and cause', () => {
    const line =
      '{"level":"error","time":"2026-01-02T03:04:05.000Z","pid":1,"msg":"call failed","err":{"message":"no route"}}';
    expect(parseLogLine(line)).toEqual({
      level: 'error',
      message: 'call failed: no route',
      time: new Date('2026-01-02T03:04:05.000Z'),
    });
  });

  it('does not repeat a message that is the cause itself', () => {
    expect(parseLogLine('{"level":"warn","msg":"gone","err":{"message":"gone"}}').message).toBe('gone');
  });

  it.each(['Error: Cannot find module', 'null', '"text"', '42', '{"no":"level"}'])(
    'takes %s for the words of a crash',
    (line) => {
      expect(parseLogLine(line)).toEqual({ level: 'error', message: line, time: undefined });
    },
  );
});

describe('isAtLeast', () => {
  it.each([
    ['warn', 'warn', true],
    ['info', 'warn', false],
    ['fatal', 'error', true],
    ['unheard-of', 'info', false],
  ])('%s against %s is %s', (level, threshold, expected) => {
    expect(isAtLeast(level, threshold)).toBe(expected);
  });
});
