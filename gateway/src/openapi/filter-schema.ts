import type { Schema } from './schemas';
import type { Say } from './texts';

/** What the `filter` parameter of lists holds, as JSON. */
export function filterSchema(say: Say): Schema {
  const described = (schema: Schema, description: string, example: unknown): Schema => ({
    ...schema,
    description: say(description),
    examples: [example],
  });
  const count: Schema = { type: 'integer', minimum: 0 };
  return {
    type: 'object',
    description: say(
      'A LoopBack filter. A field, an operator or a key that does not exist is refused, and the message lists those that do.',
    ),
    properties: {
      where: described(
        { type: 'object', additionalProperties: true },
        'Fields and their values, or operators: `neq`, `gt`, `gte`, `lt`, `lte`, `between`, `inq`, `nin`, `like`, `nlike`, `ilike`, `nilike`, `regexp`; `and` and `or` take lists of conditions. `metadata.a.b` reaches into metadata. A date without a time is the whole day in the time zone of the account.',
        { from: '1000', duration: { gte: 60 } },
      ),
      order: described(
        { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
        'A field and ASC or DESC; several with commas or as a list.',
        'started_at DESC',
      ),
      limit: described(count, 'How many, or the size of a page; at most 1000 are given. 0 counts as absent.', 50),
      offset: described(count, 'How many to pass over before the first.', 0),
      skip: described(count, 'The same as `offset`.', 0),
      fields: described(
        {
          anyOf: [
            { type: 'string' },
            { type: 'array', items: { type: 'string' } },
            { type: 'object', additionalProperties: { type: 'boolean' } },
          ],
        },
        'Only these fields are in the answer; all others are left out of it.',
        ['id', 'duration'],
      ),
      include: described(
        {
          anyOf: [
            { type: 'string' },
            { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object' }] } },
            { type: 'object' },
          ],
        },
        'Related records. No list has any, so only an empty one is accepted.',
        [],
      ),
    },
    additionalProperties: false,
    examples: [{ where: { from: '1000' }, order: 'started_at DESC', limit: 50 }],
  };
}
