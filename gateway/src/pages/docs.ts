import type { OpenApiDocument } from '../openapi/document';
import type { Operation } from '../openapi/operation';
import type { Schema } from '../openapi/schemas';
import { escapeHtml } from '@sabia/service-kit/brand/html';
import { layout } from './layout';
import { docsStyle } from './style';

/** The OpenAPI document for people: one fold-out per operation, no script needed. */
export function docsPage(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2>${escapeHtml(tag)}</h2>\n${own.map(({ path, method, operation }) => fold(document, path, method, operation)).join('\n')}`;
  });
  return layout({
    language: 'en',
    title: 'API',
    style: docsStyle,
    body: `<h1>API reference</h1>
<p class="soft">${escapeHtml(document.info.description)} Machines read <a href="/openapi.json">openapi.json</a>.</p>
${sections.join('\n')}`,
  });
}

function fold(document: OpenApiDocument, path: string, method: string, operation: Operation): string {
  const notes = [
    ...(operation.security.length === 0 ? ['public'] : []),
    ...(operation.deprecated === true ? ['deprecated'] : []),
  ];
  return `<details id="${escapeHtml(operation.operationId)}">
<summary><span class="verb ${method}">${method.toUpperCase()}</span><span class="path">${escapeHtml(path)}</span><span class="soft">${escapeHtml(operation.summary)}</span>${notes.map((note) => `<span class="tag">${note}</span>`).join('')}</summary>
<div class="inside">
<p class="soft">${escapeHtml(operation.description)}</p>
${parameters(operation)}${requestBody(document, operation)}${answers(document, operation)}
</div>
</details>`;
}

function parameters({ parameters: list }: Operation): string {
  const rows = list.map(({ name, in: place, schema }) => row([name, place, typeOf(schema)]));
  return rows.length === 0 ? '' : `<h3>Parameters</h3>${table(['Name', 'In', 'Type'], rows)}`;
}

function requestBody(document: OpenApiDocument, { requestBody: body }: Operation): string {
  const schema = body?.content['application/json']?.schema;
  return schema === undefined ? '' : `<h3>Body</h3>${fields(document, schema)}`;
}

function answers(document: OpenApiDocument, { responses }: Operation): string {
  return Object.entries(responses)
    .filter(([status]) => status !== 'default')
    .map(([status, response]) => {
      const { content } = response as { content?: Record<string, { schema: Schema }> };
      const schema = Object.values(content ?? {})[0]?.schema;
      return `<h3>Answer ${status}</h3>${schema === undefined ? '<p class="soft">No body.</p>' : fields(document, schema)}`;
    })
    .join('');
}

function fields(document: OpenApiDocument, schema: Schema): string {
  const list = schema['type'] === 'array';
  const item = (list ? schema['items'] : schema) as Schema;
  const { properties = {} } = resolve(document, item) as { properties?: Record<string, Schema> };
  const rows = Object.entries(properties).map(([name, property]) => row([name, typeOf(property)]));
  const intro = list ? '<p class="soft">A list of:</p>' : '';
  return rows.length === 0 ? '<p class="soft">Empty.</p>' : intro + table(['Field', 'Type'], rows);
}

function resolve(document: OpenApiDocument, schema: Schema): Schema {
  const { $ref: reference } = schema;
  return typeof reference === 'string'
    ? (document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {})
    : schema;
}

function typeOf(schema: Schema): string {
  const {
    $ref: reference,
    enum: values,
    type,
    format,
    items,
  } = schema as Record<string, string | string[] | Schema | undefined>;
  if (typeof reference === 'string') {
    return reference.split('/').at(-1) ?? '';
  }
  if (Array.isArray(values)) {
    return values.join(' | ');
  }
  if (type === 'array') {
    return `list of ${typeOf(items as Schema)}`;
  }
  const names = [type].flat().filter((name) => typeof name === 'string');
  return `${names.join(' or ')}${typeof format === 'string' ? ` (${format})` : ''}`;
}

function row(cells: string[]): string {
  return `<tr>${cells.map((cell, index) => `<td>${index === 0 ? `<code>${escapeHtml(cell)}</code>` : escapeHtml(cell)}</td>`).join('')}</tr>`;
}

function table(heads: string[], rows: string[]): string {
  return `<table><tr>${heads.map((head) => `<th>${head}</th>`).join('')}</tr>${rows.join('')}</table>`;
}
