import type { Field } from 'protobufjs';

/** The json_name option, or the name that protobuf derives: underscores go, the letter after each is capitalised. */
export function jsonNameOf(field: Field): string {
  const given: unknown = field.options?.['json_name'];
  return typeof given === 'string' ? given : field.name.replace(/_+(.?)/g, (_, letter: string) => letter.toUpperCase());
}
