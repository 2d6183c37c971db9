import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { curlOf, quote } from './curl';

/** What a shell makes of the words of a command. */
function wordsOf(command: string): string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${command}`;
  return execFileSync('/bin/sh', ['-c', script], { env: { TOKEN: 'secret' } })
    .toString()
    .split('\0')
    .slice(0, -1);
}

it('writes a request that a shell reads back as it was', () => {
  const body = `{"name":"O'Brien $HOME \`date\` \\\\ !! 日本"}\n`;
  const command = curlOf({
    method: 'POST',
    url: 'https://crm.example.com/a b?x=1&y=$(reboot)',
    headers: { 'webhook-id': "msg_'1'", empty: '' },
    shellHeaders: { Authorization: '$TOKEN' },
    body,
  });
  expect(wordsOf(command)).toEqual([
    '-X',
    'POST',
    'https://crm.example.com/a b?x=1&y=$(reboot)',
    '-H',
    'Authorization: secret',
    '-H',
    "webhook-id: msg_'1'",
    '-H',
    'empty;',
    '--data-raw',
    body,
  ]);
});

it('quotes any text', () => {
  const texts = fc.array(
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0')),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(texts, (all) => {
      expect(wordsOf(['curl', ...all.map(quote)].join(' '))).toEqual(all);
    }),
    { numRuns: 30 },
  );
});
