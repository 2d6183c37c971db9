import { Readable } from 'node:stream';
import { GetRecordingRequest, GetRecordingResponse } from '@sabia/protos/sabia/telephony/v1/messages';
import { invalid, notFound } from '@sabia/service-kit/errors';
import type { Endpoint } from '../endpoints/endpoint';
import type { SendRpc } from '../clients/service-clients';
import { rangeNotSatisfiable } from '../errors/http-error';
import type { Content } from '../http/response';
import { parseByteRange } from '../http/byte-range';
import type { Exchange } from '../http/exchange';
import { parseTemplate } from '../contract/http-rule';
import type { RecordingFile, RecordingSource } from './recording-source';
import { isUrl } from './recording-urls';

const formats = ['wav', 'mp3'];

/** Serves the audio of a call. Telephony checks the signature in the link and says where the audio is. */
export function createRecordingEndpoint(
  getRecording: SendRpc,
  sources: { files: RecordingSource; urls: RecordingSource },
): Endpoint {
  return {
    method: 'GET',
    segments: parseTemplate('/api/v1/recordings/{file}'),
    template: '/api/v1/recordings/{id}.{format}',
    model: 'recording',
    access: 'PUBLIC',
    rateLimit: 'OTHER',
    headers: {},
    async respond(exchange, [name = '']) {
      await exchange.ignoreBody();
      const { signature, format } = exchange.query();
      const { callId, extension } = readName(name);
      const request = GetRecordingRequest.fromPartial({
        callId,
        signature: typeof signature === 'string' ? signature : '',
        format: format === undefined ? extension : readFormat(format),
      });
      const bytes = await getRecording(Buffer.from(GetRecordingRequest.encode(request).finish()), exchange.scope());
      const { location, contentType, size } = GetRecordingResponse.decode(bytes);

      const source = isUrl(location) ? sources.urls : sources.files;
      const file = await source.find(location, size);
      if (file === undefined) {
        throw notFound('recording', callId);
      }
      // A recording never changes, so If-Range can be ignored.
      const range = parseByteRange(exchange.request.headers.range, file.size);
      if (range === 'unsatisfiable') {
        await file.close();
        throw rangeNotSatisfiable(file.size);
      }
      const { start, end } = range ?? { start: 0, end: file.size - 1 };
      return {
        status: range === undefined ? 200 : 206,
        contentType: contentType === '' ? 'audio/wav' : contentType,
        content: await openContent(exchange, file, { callId, start, end }),
        headers: {
          'accept-ranges': 'bytes',
          ...(range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${file.size}` }),
        },
      };
    },
  };
}

function readName(name: string): { callId: string; extension: string } {
  const extension = formats.find((format) => name.endsWith(`.${format}`));
  if (extension === undefined) {
    throw notFound('recording', name);
  }
  return { callId: name.slice(0, -extension.length - 1), extension };
}

function readFormat(given: unknown): string {
  const format = typeof given === 'string' ? given.toLowerCase() : '';
  if (!formats.includes(format)) {
    throw invalid('recording', [
      { field: 'format', code: 'inclusion', message: `must be one of ${formats.join(', ')}` },
    ]);
  }
  return format;
}

/** Opens the audio before the response begins, so that a failure can still become an error response. */
async function openContent(
  exchange: Exchange,
  file: RecordingFile,
  { callId, start, end }: { callId: string; start: number; end: number },
): Promise<Content> {
  const length = end - start + 1;
  if (exchange.method === 'HEAD') {
    await file.close();
    return { length, read: () => Readable.from([]), discard: () => undefined };
  }
  const content = await file.open(start, end, exchange.scope().signal);
  if (content === undefined) {
    throw notFound('recording', callId);
  }
  return { length, read: () => content, discard: () => content.destroy() };
}
