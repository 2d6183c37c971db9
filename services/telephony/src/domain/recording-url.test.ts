import { createRecordingUrls } from './recording-url';

const id = '0190aaaa-0000-7000-8000-000000000001';
const urls = createRecordingUrls({ publicUrl: 'http://localhost:8080/', secret: 'a secret' });

test('a stable URL whose signature is accepted', () => {
  const url = new URL(urls.urlOf(id));
  expect(url.pathname).toBe(`/api/v1/recordings/${id}.wav`);
  expect(urls.urlOf(id)).toBe(url.href);
  expect(urls.isSignedBy(id, url.searchParams.get('signature')!)).toBe(true);
});

test('any other signature is refused', () => {
  const signature = new URL(urls.urlOf(id)).searchParams.get('signature')!;
  const others = createRecordingUrls({ publicUrl: 'http://localhost:8080', secret: 'another secret' });
  expect(others.isSignedBy(id, signature)).toBe(false);
  expect(urls.isSignedBy(id.replace('1', '2'), signature)).toBe(false);
  expect(urls.isSignedBy(id, '')).toBe(false);
  expect(urls.isSignedBy(id, signature.slice(1))).toBe(false);
});
