import type { DocumentPart } from '../openapi/document';
import { errorsOfAdmission, rateLimitOf } from '../openapi/operation';
import type { Operation } from '../openapi/operation';
import type { Parameter } from '../openapi/parameters';
import { headerReferences, successHeaders } from '../openapi/response-headers';
import type { Schema } from '../openapi/schemas';
import { securityOf } from '../openapi/security';

const CALL = '019ec2d4-5a10-7c3e-9d6f-2b8a4c1e7f05';

/** The audio of calls for the OpenAPI document: no rpc declares these routes. */
export const recordingsPart: DocumentPart = (builder) => {
  const { say, errors } = builder;
  const parameter = (place: string, name: string, description: string, schema: Schema, example: string): Parameter => ({
    ...{ name, in: place, required: place === 'path', description: say(description), schema, example },
  });
  const format = parameter(
    'query',
    'format',
    'The other format than the link has. An MP3 is made when it is first asked for.',
    { type: 'string', enum: ['wav', 'mp3'] },
    'mp3',
  );
  const header = (description: string, example: unknown): object => ({
    ...{ description: say(description), schema: { type: 'string' }, example },
  });
  const audio = (description: string, further: Record<string, object> = {}): object => ({
    description: say(description),
    headers: {
      ...headerReferences(successHeaders),
      'Accept-Ranges': header('Parts can be asked for.', 'bytes'),
      ...further,
    },
    content: {
      'audio/wav': { schema: { type: 'string', contentMediaType: 'audio/wav' } },
      'audio/mpeg': { schema: { type: 'string', contentMediaType: 'audio/mpeg' } },
    },
  });
  const file = { access: 'PUBLIC', rateLimit: 'OTHER' } as const;
  const link = { access: 'TOKEN', rateLimit: 'OTHER' } as const;

  const linkOperation = (operationId: string, aliasOf?: string): Operation => ({
    operationId,
    ...(aliasOf === undefined ? {} : { 'x-alias-of': aliasOf }),
    summary: say('Leads to the recording of a call.'),
    description: [
      say('Redirects to the signed link, which players open without a token.'),
      builder.admission(link),
    ].join('\n\n'),
    tags: ['recordings'],
    security: securityOf(link.access),
    parameters: [parameter('path', 'id', "The call's id, or its dial id.", { type: 'string' }, CALL), format],
    responses: {
      302: {
        description: say('The address of the recording.'),
        headers: {
          ...headerReferences([...successHeaders, 'Link']),
          Location: header('The signed link.', `/api/v1/recordings/${CALL}.wav?signature=6Zk`),
        },
      },
      ...errors.of(['MODEL_NOT_FOUND', 'RECORDING_EXPIRED', ...errorsOfAdmission(link)]),
    },
    'x-rate-limit': rateLimitOf(link, builder),
  });

  return {
    paths: {
      '/api/v1/recordings/{file}': {
        get: {
          operationId: 'getRecording',
          summary: say('The audio of a call.'),
          description: [
            say(
              '`record_url` of a call leads here. The signature in the link stands for a token, so a player can open it.',
            ),
            builder.admission(file),
          ].join('\n\n'),
          tags: ['recordings'],
          security: [],
          parameters: [
            parameter(
              'path',
              'file',
              "The call's id and the format: `.wav` or `.mp3`.",
              { type: 'string', pattern: '\\.(wav|mp3)$' },
              `${CALL}.wav`,
            ),
            parameter('query', 'signature', 'As in `record_url`.', { type: 'string' }, '6ZkQ0bS9'),
            format,
            parameter('header', 'Range', 'A part of the audio, in bytes.', { type: 'string' }, 'bytes=0-1023'),
          ],
          responses: {
            200: audio('The whole audio.'),
            206: audio('The part that was asked for.', {
              'Content-Range': header('Which part it is.', 'bytes 0-1023/81964'),
            }),
            ...errors.of([
              'MODEL_NOT_FOUND',
              'RECORDING_EXPIRED',
              'ACCESS_DENIED',
              'RANGE_NOT_SATISFIABLE',
              'VALIDATION_ERROR',
              ...errorsOfAdmission(file),
            ]),
          },
          'x-rate-limit': rateLimitOf(file, builder),
        },
      },
      '/api/v1/calls/{id}/recording': { get: linkOperation('getCallRecording') },
      '/api/v1/calls/{id}/recordings': { get: linkOperation('getCallRecordingAlias', 'getCallRecording') },
    },
  };
};
