import type { Schema } from './document-validator';

export interface ContractParameter {
  name: string;
  in: string;
  required: boolean;
  schema: Schema;
  example: unknown;
}

export interface ContractResponse {
  headers?: Record<string, unknown>;
  content?: Record<string, { schema: Schema; examples?: Record<string, { $ref: string }> }>;
}

export interface ContractOperation {
  operationId: string;
  method: string;
  path: string;
  parameters: ContractParameter[];
  body?: Schema;
  responses: Record<string, ContractResponse>;
}

export interface ContractDocument {
  paths: Record<string, Record<string, object>>;
  webhooks: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, ContractResponse>;
    examples: Record<string, { value: { error: { code: string } } }>;
  };
}

/** The operations of an OpenAPI document, with their references to responses followed. */
export function operationsOf(document: ContractDocument): ContractOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, parameters, requestBody, responses } = operation as {
        operationId: string;
        parameters: ContractParameter[];
        requestBody?: { content: Record<string, { schema: Schema }> };
        responses: Record<string, ContractResponse & { $ref?: string }>;
      };
      return {
        ...{ operationId, method: method.toUpperCase(), path, parameters },
        body: requestBody?.content['application/json']?.schema,
        responses: Object.fromEntries(
          Object.entries(responses).map(([status, response]) => [
            status,
            response.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1)!]!,
          ]),
        ),
      };
    }),
  );
}
