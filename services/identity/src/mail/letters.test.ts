import { layOutHtml, layOutText } from './layout';
import {
  confirmAccount,
  confirmChange,
  confirmUser,
  emailChangeRequested,
  emailChanged,
  emailChangedByAdmin,
  resetPassword,
  webhookDisabled,
} from './letters';
import { createLinks } from './links';

const recipient = {
  name: 'Ana <script>alert(1)</script> & Co',
  email: 'ana@example.com',
  domain: 'ana.sabia.localhost',
};
const link = 'https://sabia.example/api/v1/accounts/confirm?token=abc&x="1"';

test.each([confirmAccount, confirmUser, confirmChange, resetPassword, emailChangeRequested, emailChanged])(
  '%p carries its link in both forms and no foreign markup',
  (write) => {
    const letter = write(recipient, link);
    expect(letter.subject).not.toBe('');
    expect(layOutText(letter)).toContain(`\n${link}\n`);
    const html = layOutHtml(letter);
    expect(html).toContain('href="https://sabia.example/api/v1/accounts/confirm?token=abc&amp;x=&quot;1&quot;"');
    expect(html).not.toContain('<script>');
  },
);

test('a letter without a link has no button', () => {
  const letter = emailChangedByAdmin(recipient);
  expect(layOutText(letter)).toContain(recipient.domain);
  const html = layOutHtml(letter);
  expect(html).not.toMatch(/<a |<script>|undefined/);
  expect(html).toContain(letter.notes[0]);
});

test('the notice of a disabled webhook says which, why and what to do', () => {
  const letter = webhookDisabled(recipient, { integrationId: 7, gateway: 'crm', reason: 'The receiver is gone.' });
  const text = layOutText(letter);
  for (const words of [
    '"crm" (id 7)',
    'The receiver is gone.',
    '{"id": 7, "webhook": true}',
    '/integrations/7/replay',
  ]) {
    expect(text).toContain(words);
  }
  expect(layOutHtml(letter)).not.toContain('<script>');
});

test.each(['https://sabia.example', 'https://sabia.example/', 'https://sabia.example/api/v1/'])(
  'links below %s',
  (publicUrl) => {
    const links = createLinks(publicUrl);
    expect(links.confirm('a_b-c')).toBe('https://sabia.example/api/v1/accounts/confirm?token=a_b-c');
    expect(links.undoEmailChange('a_b-c')).toBe('https://sabia.example/api/v1/users/undo-email-change?token=a_b-c');
    expect(links.resetPassword('a_b-c')).toBe('https://sabia.example/api/v1/users/reset-password?token=a_b-c');
  },
);
