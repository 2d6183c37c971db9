import { createHmac } from 'node:crypto';
import { request } from 'undici';
import { eventually } from '../../src/eventually';
import { newUser } from '../../src/people';
import { headerOf } from '../../src/softphone/sip-message';
import type { ApiAnswer } from '../../src/stack-client';
import { integrate } from '../../src/webhook-integrations';
import type { Stage } from './stage';

/** A habit of clients that were written for another implementation of this interface. The three texts are a row of docs/guides/en/moving-over.md. */
export interface Behaviour {
  habit: string;
  /** The request of such clients. */
  request: string;
  /** The part of the answer that they read. */
  answer: string;
  check: (stage: Stage) => Promise<void>;
}

type Json = Record<string, unknown>;

const ok = <T>({ status, body, text }: ApiAnswer<T>): T => {
  if (status !== 200) throw new Error(`answered ${status}: ${text}`);
  return body;
};

const list = async ({ api }: Stage, path: string, query: Record<string, string>): Promise<Json[]> => {
  const body = ok(await api().get<Json[] | { data: Json[] }>(path, { query }));
  return Array.isArray(body) ? body : body.data;
};

const withoutBody = { headers: { 'content-type': 'application/json' }, rawBody: '' };

export const behaviours: Behaviour[] = [
  {
    habit: 'store the recording when the call ends',
    request: '`GET` the `recordUrl` of `channel-hangup`, at once',
    answer: '200 and the whole audio; the link waits for it',
    async check({ hangup, fetchAudio }) {
      const audio = await fetchAudio(String(hangup.payload.recordUrl));
      expect(audio.subarray(0, 4).toString()).toBe('RIFF');
      expect(audio.readUInt32LE(4)).toBe(audio.length - 8);
      expect(audio.length).toBeGreaterThan(8_000);
    },
  },
  {
    habit: 'validate webhook bodies strictly',
    request: '`channel-answer` of a call under way',
    answer: 'no `endedAt`, `duration`, `hangupCause`, `hangupCauseCode`, `recordUrl`; no `null` anywhere',
    async check({ answer, hangup }) {
      for (const field of ['endedAt', 'duration', 'hangupCause', 'hangupCauseCode', 'recordUrl'])
        expect(answer.payload).not.toHaveProperty(field);
      expect([...Object.values(answer.payload), ...Object.values(hangup.payload)]).not.toContain(null);
    },
  },
  {
    habit: 'want every field in every body',
    request: '`PATCH /integrations` with `metadata.webhookNulls: true`',
    answer: 'fields without a value are `null`',
    async check({ nulls }) {
      expect(nulls.payload).toMatchObject({ endedAt: null, duration: null, hangupCause: null, recordUrl: null });
    },
  },
  {
    habit: 'read the event under another name',
    request: 'any webhook',
    answer: '`type` and `event` beside `eventType`, `callId` beside `id`',
    async check({ hangup: { payload } }) {
      expect([payload.type, payload.event]).toEqual([payload.eventType, payload.eventType]);
      expect(payload.callId).toBe(payload.id);
    },
  },
  {
    habit: 'verify one header over the body',
    request: '`x-webhook-signature`',
    answer: '`sha256=` and the HMAC-SHA256 of the body in hex, keyed with `webhookSecret` as text',
    async check({ hangup, secret }) {
      const wanted = createHmac('sha256', secret).update(hangup.body).digest('hex');
      expect(hangup.headers['x-webhook-signature']).toBe(`sha256=${wanted}`);
    },
  },
  {
    habit: 'read the direction of a listed call',
    request: '`GET /calls?page=1`',
    answer: '`direction` beside `call_type`',
    async check(stage) {
      const [call] = await list(stage, '/calls', { page: '1' });
      expect(call?.direction).toBe(call?.call_type);
    },
  },
  {
    habit: 'look for the number that they sent',
    request: '`POST /calls` with `"called": "+55 (11) 5550-0101"`, then `GET /calls`',
    answer: '`to` in digits with the country code, `called` as it was sent',
    async check({ call }) {
      expect(call).toMatchObject({ to: '551155500101', called: '+55 (11) 5550-0101' });
    },
  },
  {
    habit: 'show one name of an extension',
    request: '`GET /extensions`',
    answer: '`name`: first and last name; no `bina` where none is set',
    async check(stage) {
      const [extension] = await list(stage, '/extensions', {});
      expect(extension).toMatchObject({ name: 'Ana Silva', first_name: 'Ana', last_name: 'Silva' });
      expect(extension).not.toHaveProperty('bina');
    },
  },
  {
    habit: 'greet a user by first name',
    request: '`GET /users/me`',
    answer: '`first_name`: the first word of `name`',
    async check({ api }) {
      const user = ok(await api().get<Json>('/users/me'));
      expect(user.first_name).toBe(String(user.name).split(' ')[0]);
    },
  },
  {
    habit: 'write an empty object as PHP does',
    request: '`POST /calls` with `"metadata": []`; `PATCH /integrations` with `"webhookConstraint": []`',
    answer: 'the same as `{}`',
    async check(stage) {
      const called = { extension: stage.ramal, called: stage.busy, metadata: [] };
      const { id } = ok(await stage.api().post<{ id: string }>('/calls', called));
      expect(ok(await stage.api().get<Json>(`/calls/${id}`)).metadata).toEqual({});
      const { webhookConstraint } = await integrate(stage.api(), {
        gateway: 'php',
        url: stage.unusedUrl,
        constraint: '[]',
      });
      expect(webhookConstraint).toEqual({});
    },
  },
  {
    habit: 'ask for an extension and say nothing about it',
    request: '`POST /extensions/next-available` without a body; `POST /extensions` with `ramal` alone',
    answer: 'an extension with a generated `senha` and the name of the caller',
    async check({ api }) {
      const next = ok(await api().post<Json>('/extensions/next-available', undefined, withoutBody));
      const chosen = ok(await api().post<Json>('/extensions', { ramal: '7001' }));
      for (const { ramal, senha, first_name } of [next, chosen]) {
        expect(String(ramal)).toMatch(/^\d{3,10}$/);
        expect(String(senha).length).toBeGreaterThanOrEqual(12);
        expect(first_name).not.toBe('');
      }
    },
  },
  {
    habit: 'send every field of a form, filled in or not',
    request: '`POST /users` with `"phone": ""`',
    answer: 'a user without a phone',
    async check({ api }) {
      expect(ok(await api().post<Json>('/users', { ...newUser(), phone: '' })).phone).toBeNull();
    },
  },
  {
    habit: 'dial mobile numbers of before the ninth digit, and local ones',
    request: '`POST /calls` with `"called": "11 8765-4321"`, and `"3333-4444"` in an account of area code 11',
    answer: '200; dialled as 551187654321 and 551133334444',
    async check({ api, ramal }) {
      for (const [called, to] of [
        ['11 8765-4321', '551187654321'],
        ['3333-4444', '551133334444'],
      ]) {
        const { id } = ok(await api().post<{ id: string }>('/calls', { extension: ramal, called }));
        expect(ok(await api().get<Json>(`/calls/${id}`))).toMatchObject({ to, called });
        await api().post(`/calls/${id}/hangup`);
      }
    },
  },
  {
    habit: 'filter with simple query parameters',
    request:
      '`GET /calls?page=1&extension=2000&limit=1`, `/extensions?ramal=2000`, `/users?email=…`, `/integrations?gateway=crm`',
    answer: 'what matches; a `filter` that names the same field wins',
    async check(stage) {
      const { ramal, email } = stage;
      expect(await list(stage, '/calls', { page: '1', extension: ramal, limit: '1' })).toHaveLength(1);
      expect(await list(stage, '/calls', { page: '1', from: '9999' })).toEqual([]);
      expect(await list(stage, '/calls', { page: '1', to: '551155500101', per_page: '1' })).toHaveLength(1);
      expect((await list(stage, '/extensions', { ramal })).map((extension) => extension.ramal)).toEqual([ramal]);
      expect((await list(stage, '/users', { email })).map((user) => user.email)).toEqual([email]);
      expect((await list(stage, '/integrations', { gateway: 'crm' })).map(({ gateway }) => gateway)).toEqual(['crm']);
      const filter = JSON.stringify({ where: { ramal } });
      expect(await list(stage, '/extensions', { ramal: '9999', filter })).toHaveLength(1);
    },
  },
  {
    habit: 'go on with the id that POST /dialer answered',
    request: '`GET /calls/{dialId}`, `/calls/{dialId}/timeline`, `/calls/{dialId}/recording`',
    answer: 'the same as under the id of the call',
    async check({ api, ramal, busy }) {
      const dialled = ok(await api().post<{ id: string }>('/dialer', { extension: ramal, phone: busy }));
      const call = await eventually(async () => {
        const record = ok(await api().get<Json>(`/calls/${dialled.id}`));
        return record.call_price === null ? undefined : record;
      });
      expect(ok(await api().get(`/calls/${String(call.id)}`))).toEqual(call);
      expect(ok(await api().get<Json[]>(`/calls/${dialled.id}/timeline`)).length).toBeGreaterThan(1);
    },
  },
  {
    habit: 'delete a user by number',
    request: '`DELETE /users/{id}` with the numeric `id`',
    answer: '204',
    async check({ api }) {
      const body = newUser();
      ok(await api().post('/users', body));
      const [user] = ok(await api().get<Json[]>('/users', { query: { email: body.email } }));
      expect((await api().delete(`/users/${String(user?.id)}`)).status).toBe(204);
    },
  },
  {
    habit: 'ask for the account in the singular',
    request: '`GET /account`',
    answer: 'the same as `GET /accounts`, with `Link: …; rel="canonical"`',
    async check({ api }) {
      const answer = await api().get('/account');
      expect(ok(answer)).toEqual(ok(await api().get('/accounts')));
      expect(answer.headers.link).toBe('</api/v1/accounts>; rel="canonical"');
    },
  },
  {
    habit: 'watch live calls as channels',
    request: '`GET /channels`, `GET /channels/{id}`',
    answer: 'calls that have not ended; 404 afterwards',
    async check({ api, ramal, rings }) {
      const { id } = ok(await api().post<{ id: string }>('/calls', { extension: ramal, called: rings }));
      const channels = await api().get<Json[]>('/channels');
      expect(ok(channels).map((channel) => channel.id)).toContain(id);
      expect(channels.headers.link).toBe('</api/v1/calls>; rel="canonical"');
      const channel = await api().get<Json>(`/channels/${id}`);
      expect(ok(channel).id).toBe(id);
      expect(channel.headers.link).toBe(`</api/v1/calls/${id}>; rel="canonical"`);
      await api().post(`/calls/${id}/hangup`);
      await eventually(async () => (await api().get(`/channels/${id}`)).status === 404);
    },
  },
  {
    habit: 'ask a call for its recording',
    request: '`GET /calls/{id}/recording` or `/recordings`',
    answer: '302 to the signed link',
    async check({ api, call, fetchAudio }) {
      for (const word of ['recording', 'recordings']) {
        const answer = await api().get(`/calls/${call.id}/${word}`);
        expect(answer.status).toBe(302);
        expect(answer.headers.link).toBe(`</api/v1/recordings/${call.id}.wav>; rel="canonical"`);
        expect(
          (await fetchAudio(new URL(answer.headers.location ?? '', api().gatewayUrl).href)).length,
        ).toBeGreaterThan(44);
      }
    },
  },
  {
    habit: 'store recordings as MP3',
    request: '`GET` the `recordUrl` with `format=mp3`; or `PATCH /accounts` with `"recordingFormat": "mp3"`, once',
    answer: '`audio/mpeg`; links that end with `.mp3`; ranges work on both formats',
    async check({ api, call, hangup }) {
      const url = String(hangup.payload.recordUrl);
      const part = await request(`${url}&format=mp3`, { headers: { range: 'bytes=0-1' } });
      expect([part.statusCode, part.headers['content-type']]).toEqual([206, 'audio/mpeg']);
      expect(Buffer.from(await part.body.arrayBuffer()).readUInt16BE() & 0xffe0).toBe(0xffe0);
      expect(ok(await api().patch<Json>('/accounts', { recordingFormat: 'mp3' })).recordingFormat).toBe('mp3');
      await eventually(async () => {
        const { headers } = await api().get(`/calls/${call.id}/recording`);
        return headers.location?.startsWith(`/api/v1/recordings/${call.id}.mp3?`);
      });
      ok(await api().patch('/accounts', { recordingFormat: 'wav' }));
      await eventually(async () => {
        const { headers } = await api().get(`/calls/${call.id}/recording`);
        return headers.location?.startsWith(`/api/v1/recordings/${call.id}.wav?`);
      });
    },
  },
  {
    habit: 'connect a web phone to a host and a port',
    request: 'a WebSocket to `/` with the subprotocol `sip`',
    answer: 'the same as at `/sip`',
    async check({ webPhone }) {
      (await webPhone('7077')).close();
    },
  },
  {
    habit: 'pick up by themselves what was clicked',
    request: '`POST /calls`; the INVITE to the softphone of `extension`',
    answer: '`X-Api4comintegratedcall: true`, beside Alert-Info and Call-Info',
    async check({ api, webPhone, rings }) {
      const line = await webPhone('7078');
      const { id } = ok(await api().post<{ id: string }>('/calls', { extension: '7078', called: rings }));
      const invite = await eventually(() => line.requests.find(({ method }) => method === 'INVITE'));
      expect(headerOf(invite, 'x-api4comintegratedcall')).toBe('true');
      expect(headerOf(invite, 'alert-info')).toContain('autoanswer');
      await api().post(`/calls/${id}/hangup`);
      line.close();
    },
  },
];
