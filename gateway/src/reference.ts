import type { Route } from './contract/routes';
import { tokenCheckPart } from './endpoints/token-check-operation';
import { eventsPart } from './live/events-operation';
import { openApiDocument } from './openapi/document';
import type { DocumentOptions, OpenApiDocument } from './openapi/document';
import { webhooksPart } from './openapi/webhooks';
import { recordingsPart } from './recordings/recording-operations';

export interface ReferenceOptions extends DocumentOptions {
  eventStreamsPerUser: number;
}

/** The OpenAPI document of the public port, with what no rpc declares. */
export function publicDocument(routes: Route[], options: ReferenceOptions): OpenApiDocument {
  const parts = [tokenCheckPart, recordingsPart, eventsPart(routes, options.eventStreamsPerUser), webhooksPart(routes)];
  return openApiDocument(
    routes.filter(({ access }) => access !== 'OPERATOR'),
    options,
    parts,
  );
}
