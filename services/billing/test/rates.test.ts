import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ErrorKind } from '@sabia/protos/sabia/api/v1/error';
import { getCountries, getCountryCallingCode } from 'libphonenumber-js';
import { importRateFile } from '../src/rate-file';
import type { ImportOptions } from '../src/rate-file';
import { openRates, openStage } from './stage';
import type { Stage } from './stage';

const sample = path.join(__dirname, '../rates/sample.csv');

describe('rate decks', () => {
  let stage: Stage;
  let folder: string;
  let time = new Date('2026-03-10T12:00:00Z');

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'sabia-rates-'));
    stage = await openStage({ now: () => time });
  });

  afterAll(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  const later = () => (time = new Date(time.getTime() + 60_000));

  async function importText(text: string, options: Partial<ImportOptions> = {}) {
    const file = path.join(folder, 'deck.csv');
    await writeFile(file, text);
    return importRateFile(stage.database, { file, deck: 'default', now: () => time, ...options });
  }

  const quote = async (destination: string, accountId = 1) => {
    await stage.rates.refresh();
    return stage.call('quoteRate', { destination }, { accountId });
  };

  test('the sample deck covers Brazil by area, fixed and mobile, and every country of the world', async () => {
    expect(await importRateFile(stage.database, { file: sample, deck: 'default', dryRun: true })).toMatchObject({
      applied: false,
      problemCount: 0,
    });
    await expect(quote('+5511987654321')).rejects.toMatchObject({ code: 'MODEL_NOT_FOUND' });

    const report = await importRateFile(stage.database, { file: sample, deck: 'default', now: () => time });
    expect(report).toMatchObject({ applied: true, problemCount: 0, changed: 0, unchanged: 0, absent: 0 });
    expect(report.added).toBe(report.lines);

    expect(await quote('(11) 98765-4321')).toEqual({
      destination: '5511987654321',
      prefix: '55119',
      minute_price: 1_100,
      minimum_seconds: 30,
      increment_seconds: 6,
      currency: 'BRL',
      description: expect.stringMatching(/./) as unknown,
      country: 'BR',
      number_type: 'mobile',
    });
    expect(await quote('1130033030')).toMatchObject({
      ...{ prefix: '5511', minute_price: 450, number_type: 'fixed-line' },
    });
    const areas = Array.from({ length: 89 }, (_, n) => n + 11).filter((area) => area % 10 !== 0);
    const missing = [20, 23, 25, 26, 29, 36, 39, 52, 56, 57, 58, 59, 72, 76, 78];
    for (const area of areas.filter((each) => !missing.includes(each))) {
      expect((await quote(`+55${area}33334444`)).prefix).toBe(`55${area}`);
      expect((await quote(`+55${area}988887777`)).prefix).toBe(`55${area}9`);
    }
    for (const country of getCountries()) {
      expect((await quote(`+${getCountryCallingCode(country)}`)).prefix).toBe(getCountryCallingCode(country));
    }
  });

  test('importing the same file again changes nothing', async () => {
    later();
    const report = await importRateFile(stage.database, { file: sample, deck: 'default', now: () => time });
    expect(report).toMatchObject({ applied: true, added: 0, changed: 0 });
    expect(report.unchanged).toBe(report.lines);
  });

  test('a changed price holds from the import on, and the old one remains for calls that began before', async () => {
    const before = time;
    later();
    const text = 'prefix;minute_price\n5511;0,0500\n5511930;0,1\n';
    expect(await importText(text, { dryRun: true })).toMatchObject({
      applied: false,
      added: 1,
      changed: 1,
      unchanged: 0,
    });
    expect((await quote('1130033030')).minute_price).toBe(450);
    expect(await importText(text)).toMatchObject({ applied: true, added: 1, changed: 1, unchanged: 0 });
    expect((await quote('1130033030')).minute_price).toBe(500);
    expect(stage.rates.find(1, '551130033030', before)?.minutePrice).toBe(450);
  });

  test('dated rates hold from their day on', async () => {
    later();
    await importText('prefix,minute_price,valid_from,valid_to\n5521,0.9,2026-04-01,2026-05-01\n');
    expect((await quote('552133334444')).minute_price).toBe(450);
    await stage.rates.refresh();
    const at = (moment: string) => stage.rates.find(1, '552133334444', new Date(moment))?.minutePrice;
    expect(at('2026-04-01T02:59:59Z')).toBe(450);
    expect(at('2026-04-01T03:00:00Z')).toBe(9_000);
    expect(at('2026-05-01T03:00:00Z')).toBe(450);
  });

  test('replacing a deck ends what the file does not name', async () => {
    await importText('prefix,minute_price\n1,0.5\n2,0.6\n', { deck: 'small' });
    later();
    expect(await importText('prefix,minute_price\n1,0.5\n', { deck: 'small', accountId: 77 })).toMatchObject({
      absent: 1,
    });
    expect((await quote('+27', 77)).minute_price).toBe(6_000);
    later();
    expect(await importText('prefix,minute_price\n1,0.5\n', { deck: 'small', replace: true })).toMatchObject({
      absent: 1,
    });
    // The account's own deck says nothing about 27 any more: the default one does.
    expect((await quote('+27', 77)).minute_price).toBe(19_000);
    expect((await quote('+1', 77)).minute_price).toBe(5_000);
    expect((await quote('+1', 78)).minute_price).toBe(900);
  });

  test('a file with any mistake is refused as a whole, and every mistake is named by its line', async () => {
    const report = await importText(
      'prefix,minute_price,increment_seconds\n999,1,6\n0,1,6\n998,x,0\n\n999,2,6\n997,1\n',
      { deck: 'wrong' },
    );
    expect(report).toMatchObject({ applied: false });
    expect(report.problems.map(({ line, problem }) => `${line}: ${problem}`)).toEqual([
      '3: prefix must be 1 to 15 digits, the first of them not 0',
      '4: minute_price must be a decimal of at most 4 places, from 0 to 1000',
      '4: increment_seconds must be a whole number from 1 to 3600',
      expect.stringMatching(/^7: .*column/i),
      '6: prefix 999 stands on lines 2, 6 for the same time',
    ]);
    const [{ count }] = (await stage.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM rate_decks WHERE name = 'wrong'`,
    )) as [{ count: number }];
    expect(count).toBe(0);
  });

  test.each([
    ['prefix,price\n1,1\n', /minute_price is missing.*"price" is not known/],
    ['', /./],
    ['prefix,minute_price\n"1,1\n', /quote/i],
  ])('a file that is no deck: %j', async (text, reason) => {
    const report = await importText(text, { deck: 'wrong' });
    if (text === '') {
      expect(report).toMatchObject({ lines: 0, added: 0 });
    } else {
      expect(report.applied).toBe(false);
      expect(report.problems[0]?.problem).toMatch(reason);
    }
  });

  test('a hundred thousand prefixes are imported with progress, read by a replica and looked up', async () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, n) => `${8_000_000 + n * 19},0.${String(n % 10_000).padStart(4, '0')}`,
    );
    const progress: number[] = [];
    const report = await importText(`prefix,minute_price\n${lines.join('\n')}\n`, {
      deck: 'large',
      accountId: 99,
      onProgress: ({ done }) => progress.push(done),
    });
    expect(report).toMatchObject({ applied: true, added: 100_000 });
    expect(progress.length).toBeGreaterThan(10);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);

    const replica = openRates(stage.database);
    expect(() => replica.find(99, '1', time)).toThrow(expect.objectContaining({ kind: ErrorKind.UNAVAILABLE }));
    await replica.refresh();
    expect(replica.find(99, `${8_000_000 + 19 * 77_777}1234`, time)?.minutePrice).toBe(7_777);
    const before = process.cpuUsage();
    for (let n = 0; n < 100_000; n++) {
      replica.find(99, `${8_000_000 + n * 19}1234`, time);
    }
    expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  });

  test('what is no destination is told so', async () => {
    await expect(quote('')).rejects.toMatchObject({ violations: [{ field: 'destination', code: 'presence' }] });
    await expect(quote('abc')).rejects.toMatchObject({ violations: [{ field: 'destination', code: 'format' }] });
    await expect(quote('+0')).rejects.toMatchObject({ kind: ErrorKind.VALIDATION });
  });
});
