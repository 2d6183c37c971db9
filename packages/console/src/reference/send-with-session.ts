/** Sends what the reader tries out: with the token that was pasted, else with the session of the console. */
export function sendWithSession(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  const headers = new Headers(request.headers);
  if (headers.get('authorization')?.trim() === '') headers.delete('authorization');
  // The gateway takes the cookie only from its own pages, and from those that say so.
  if (new URL(request.url).origin === location.origin && !headers.has('authorization'))
    headers.set('x-sabia-console', '1');
  return fetch(new Request(request, { headers, credentials: 'same-origin' }));
}
