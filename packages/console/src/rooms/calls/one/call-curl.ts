import type { Call } from '../call-queries';
import { curlOf } from '../../../components/curl';

const shellHeaders = { Authorization: '$TOKEN' };

export function curlToRead(origin: string, { id }: Pick<Call, 'id'>): string {
  return curlOf({ method: 'GET', url: `${origin}/api/v1/calls/${id}`, shellHeaders });
}

export function curlToPlace(origin: string, { from, called, to, metadata }: Call): string {
  const body = { extension: from, called: called || to, metadata };
  return curlOf({
    method: 'POST',
    url: `${origin}/api/v1/calls`,
    shellHeaders,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}
