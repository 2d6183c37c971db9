import Ajv from '@redocly/ajv/dist/2020';

export type Schema = Record<string, unknown>;

/** Tells what is wrong with a value; undefined if nothing is. */
export type Validate = (schema: Schema, value: unknown) => string | undefined;

const formats: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  email: /^[^\s@]+@[^\s@]+$/,
  uri: /^[a-z]+:\/\/\S+$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/,
  byte: /^[A-Za-z0-9+/]*={0,2}$/,
};
const freeFormats = ['password', 'int32', 'int64'];

/** Validates against schemas of an OpenAPI document, references included. */
export function createDocumentValidator({ components }: { components: object }): Validate {
  const ajv = new Ajv({ strict: false, allErrors: true });
  Object.entries(formats).forEach(([name, pattern]) => ajv.addFormat(name, pattern));
  freeFormats.forEach((name) => ajv.addFormat(name, true));
  ajv.addSchema({ $id: 'document', components });
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  return (schema, value) => {
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text) as Schema);
    compiled.set(text, validate);
    return validate(value) ? undefined : ajv.errorsText(validate.errors, { separator: '; ' });
  };
}
