import { createHash } from 'node:crypto';
import type { HttpResponse } from '../http/response';
import { personalPageHeaders } from '../http/headers';
import { escapeHtml, layout } from './layout';

export interface PasswordForm {
  title: string;
  heading: string;
  /** HTML. */
  introduction?: string;
  label: string;
  button: string;
  /** Shown after the password was accepted. */
  done: string;
  token: string;
  /** The present password is entered; otherwise a new one is chosen. */
  current?: boolean;
}

// Sends token and password as JSON by POST to the path of the page and shows the result in words. Without JavaScript the form
// itself sends them, and the browser shows the JSON response.
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
    if (answer.ok) { form.hidden = true; say(form.dataset.done); return; }
    const { error } = await answer.json();
    const { password: wrong, email: taken } = error.details?.messages ?? {};
    say(wrong ? 'The password ' + wrong.join(', ') + '.' : taken ? 'This address ' + taken.join(', ') + '.' : error.message);
  } catch { say('The server could not be reached. Please try again.'); }
});
`;

const hash = createHash('sha256').update(script).digest('base64');
const base = personalPageHeaders(`; connect-src 'self'; script-src 'sha256-${hash}'`, "'self'");

/** The page of a personal link, on which a password is chosen or entered. */
export function passwordForm(form: PasswordForm): HttpResponse {
  return {
    status: 200,
    body: layout({ title: `${form.title} · Sabiá`, body: card(form) }),
    contentType: 'text/html; charset=utf-8',
    base,
  };
}

const card = ({ heading, introduction = '', label, button, done, token, current }: PasswordForm): string =>
  `<div class="card">
<h1>${heading}</h1>
${introduction}
<form method="post" data-done="${escapeHtml(done)}">
<input type="hidden" name="token" value="${escapeHtml(token)}">
<p><label for="password">${label}</label></p>
<p><input id="password" name="password" type="password" ${current ? '' : 'minlength="8" '}maxlength="256" autocomplete="${current ? 'current' : 'new'}-password" required autofocus></p>
<p><button>${button}</button></p>
</form>
<p role="status"><output></output></p>
</div>
<script>${script}</script>`;
