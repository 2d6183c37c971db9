import { createHash } from 'node:crypto';
import type { Endpoint } from '../api';
import { personalPageHeaders } from '../http/headers';
import { parseTemplate } from '../transcoder/http-rule';
import { escapeHtml, layout } from './layout';

const template = '/api/v1/users/reset-password';

// The same path takes the new password by POST and answers 204, which no browser shows: hence these few lines of script.
const script = `
const form = document.querySelector('form');
const say = (text) => { document.querySelector('output').textContent = text; };
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { token, password } = Object.fromEntries(new FormData(form));
  try {
    const answer = await fetch(location.pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password }),
    });
    if (answer.ok) { form.hidden = true; say('Your password is changed. You can log in with it now.'); return; }
    const { error } = await answer.json();
    say(error.details?.messages?.password ? 'The password ' + error.details.messages.password.join(', ') + '.' : error.message);
  } catch { say('The server could not be reached. Please try again.'); }
});
`;

const hash = createHash('sha256').update(script).digest('base64');
const base = personalPageHeaders(`; connect-src 'self'; script-src 'sha256-${hash}'`);

/** What a person sees who follows the link in a password reset e-mail. */
export function createResetPasswordPage(): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate(template),
    template,
    model: 'user',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    answer(exchange) {
      const { token } = exchange.query();
      const body = form(typeof token === 'string' ? token : '');
      return Promise.resolve({
        status: 200,
        body: layout({ title: 'New password · Sabiá', body }),
        contentType: 'text/html; charset=utf-8',
        base,
      });
    },
  };
}

const form = (token: string): string => `<div class="card">
<h1>Choose a new password</h1>
<form>
<input type="hidden" name="token" value="${escapeHtml(token)}">
<p><label for="password">At least eight characters</label></p>
<p><input id="password" name="password" type="password" minlength="8" maxlength="256" autocomplete="new-password" required autofocus></p>
<p><button>Change password</button></p>
</form>
<p role="status"><output></output></p>
<noscript><p class="soft">This page needs JavaScript, or send <code>POST ${template}</code> with token and password yourself.</p></noscript>
</div>
<script>${script}</script>`;
