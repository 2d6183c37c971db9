import { languages } from '@sabia/service-kit/brand/language';
import { layOutHtml, layOutText } from './layout';
import type { Letter } from './letter';
import { letters } from './letters';
import { createLinks } from './links';

const recipient = {
  name: 'Ana <script>alert(1)</script> & Co',
  email: 'ana@example.com',
  domain: 'ana.sabia.localhost',
};
const link = 'https://sabia.example/api/v1/accounts/confirm?token=abc&x="1"';
const webhook = { integrationId: 7, gateway: 'crm<script>', reason: 'The receiver answered 410 Gone.' };

describe.each(languages)('in %s', (language) => {
  const { emailChangedByAdmin, webhookDisabled, ...withLinks } = letters[language];

  test.each(Object.entries(withLinks))('%s carries its link in both forms and no foreign markup', (_name, write) => {
    expectToCarry(write(recipient, link));
  });

  test('the notice of a disabled webhook says which and why, and leads to the console', () => {
    const letter = webhookDisabled(recipient, webhook, link);
    expectToCarry(letter);
    expect(letter.subject).toContain('crm');
    expect(layOutText(letter)).toMatch(/ 7\).*410/s);
    // People are not told of routes.
    expect(layOutText(letter)).not.toMatch(/\b(GET|POST|PATCH) \//);
  });

  test('a letter without a link has no button', () => {
    const letter = emailChangedByAdmin(recipient);
    expect(layOutText(letter)).toContain(recipient.domain);
    const html = layOutHtml(letter);
    expect(html).not.toMatch(/<a |<script>|undefined/);
    expect(html).toContain(letter.notes[0]);
  });

  function expectToCarry(letter: Letter): void {
    expect(layOutText(letter)).toContain(`\n${link}\n`);
    const html = layOutHtml(letter);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain('href="https://sabia.example/api/v1/accounts/confirm?token=abc&amp;x=&quot;1&quot;"');
    expect(html).not.toContain('<script>');
  }
});

test('the languages say different things', () => {
  const subjects = languages.map((language) => letters[language].resetPassword(recipient, link).subject);
  expect(subjects).toEqual(['Redefina sua senha do Sabiá', 'Reset your Sabiá password']);
});

test.each(['https://sabia.example', 'https://sabia.example/', 'https://sabia.example/api/v1/'])(
  'links below %s',
  (publicUrl) => {
    const links = createLinks(publicUrl);
    expect(links.confirm('a_b-c')).toBe('https://sabia.example/api/v1/accounts/confirm?token=a_b-c');
    expect(links.undoEmailChange('a_b-c')).toBe('https://sabia.example/api/v1/users/undo-email-change?token=a_b-c');
    expect(links.resetPassword('a_b-c')).toBe('https://sabia.example/api/v1/users/reset-password?token=a_b-c');
    expect(links.webhooks).toBe('https://sabia.example/console/webhooks');
  },
);
