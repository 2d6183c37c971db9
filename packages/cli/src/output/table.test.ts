import { list, table } from './table';

const rows = [
  { name: 'Ana', status: 'NORMAL_CLEARING', id: '01a1e3fd-d419' },
  { name: 'João', status: 'USER_BUSY', id: '01a1e3fe-2a78' },
];
const columns = [
  { title: 'Name', value: ({ name }: (typeof rows)[0]) => name },
  { title: 'Status', value: ({ status }: (typeof rows)[0]) => status, flexible: true },
  { title: 'Id', value: ({ id }: (typeof rows)[0]) => id, align: 'right' as const },
];

it('shows everything where there is room, or no screen', () => {
  const whole = ['Name  Status                      Id', 'Ana   NORMAL_CLEARING  01a1e3fd-d419'];
  expect(table(rows, columns, undefined).slice(0, 2)).toEqual(whole);
  expect(table(rows, columns, 80).slice(0, 2)).toEqual(whole);
});

it('cuts flexible columns first, then leaves out the last ones and gives their room back', () => {
  expect(table(rows, columns, 30)[1]).toBe('Ana   NORMAL_C…  01a1e3fd-d419');
  expect(table(rows, columns, 24)[1]).toBe('Ana   NORMAL_CLEARING');
  for (const width of [80, 36, 30, 24, 12]) {
    for (const line of table(rows, columns, width)) expect([...line].length).toBeLessThanOrEqual(Math.max(width, 14));
  }
});

it('keeps a row on one line, and leaves out what has no value', () => {
  expect(table([{ ...rows[0]!, name: 'A\nB' }], columns, undefined)[1]).toMatch(/^A B {3}/);
  expect(
    list([
      ['Name', 'Ana'],
      ['E-mail', undefined],
      ['Status', 'on'],
    ]),
  ).toEqual(['Name    Ana', 'Status  on']);
});
