/** Says on whose behalf requests are tried out. The words are in the page, which knows its language. */
export async function showSession(): Promise<void> {
  const line = document.querySelector<HTMLElement>('#session');
  if (line === null) return;
  const answer = await fetch('/api/v1/session');
  const email = answer.ok ? ((await answer.json()) as { user?: { email?: string } }).user?.email : undefined;
  for (const each of line.querySelectorAll<HTMLElement>('[data-when]'))
    each.hidden = (each.dataset['when'] === 'in') !== (email !== undefined);
  line.querySelector('[data-email]')!.textContent = email ?? '';
  line.hidden = false;
}
