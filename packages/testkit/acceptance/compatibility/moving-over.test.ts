import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { testStack } from '../../src/test-stack';
import { behaviours } from './behaviours';
import { openStage, type Stage } from './stage';

describe('clients that were written for this interface elsewhere', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await openStage(testStack());
  });

  afterAll(() => stage?.close());

  it.each(behaviours)('$habit', ({ check }) => check(stage));
});

it('the guide has the same table', () => {
  const page = readFileSync(resolve(__dirname, '../../../../docs/guides/en/moving-over.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| \S/.test(line));
  const cells = rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  expect(cells).toEqual(behaviours.map(({ habit, request, answer }) => [habit, request, answer]));
});
