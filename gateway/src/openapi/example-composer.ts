import type { Type } from 'protobufjs';
import { fieldContracts } from '../contract/field-contract';
import type { FieldContract } from '../contract/field-contract';
import { enumNames } from '../transcoder/request/scalar-readers';
import type { Examples, Side } from './examples';

export interface ExampleComposer {
  /** Of a field that is no message; undefined if none is known. */
  field(type: Type, field: FieldContract): unknown;
  /** A whole message. A request has what is required and what the examples name, a response all that it always has. */
  message(type: Type, side: Side): Record<string, unknown>;
}

const SOME_TIME = '2026-03-10T18:00:00.000Z';

export function createExampleComposer(examples: Examples): ExampleComposer {
  function field(type: Type, contract: FieldContract): unknown {
    const given = examples.of(type.name, contract.jsonName);
    if (given !== undefined) {
      return given;
    }
    const value = valueOf(contract);
    return contract.repeated && value !== undefined ? [value] : value;
  }

  function message(type: Type, side: Side, above: readonly Type[] = []): Record<string, unknown> {
    const named = examples.namedBy(type.name);
    const isShown = ({ jsonName, required, omitWhenUnset, ifNoneMatch }: FieldContract): boolean =>
      !ifNoneMatch && (named.has(jsonName) || (side === 'request' ? required : !omitWhenUnset));
    const entries = fieldContracts(type)
      .filter(isShown)
      .map((contract) => {
        const nested = contract.kind === 'message' ? contract.message : undefined;
        if (nested === undefined || named.has(contract.jsonName)) {
          return [contract.jsonName, field(type, contract)];
        }
        if (above.includes(nested)) {
          return [contract.jsonName, contract.repeated ? [] : null];
        }
        const example = message(nested, side, [...above, type]);
        return [contract.jsonName, contract.repeated ? [example] : example];
      });
    return Object.fromEntries(entries) as Record<string, unknown>;
  }

  return { field, message };
}

/** For kinds whose values explain themselves. */
function valueOf({ kind, format, enumeration, keywords }: FieldContract): unknown {
  if (enumeration !== undefined) {
    return [...enumNames(enumeration).keys()][0];
  }
  if (Array.isArray(keywords['enum'])) {
    return (keywords['enum'] as unknown[])[0];
  }
  if (format === 'JSON_OBJECT') {
    return {};
  }
  if (format === 'BIT') {
    return 0;
  }
  if (format === 'PAGE') {
    return 1;
  }
  return kind === 'timestamp' ? SOME_TIME : kind === 'bool' ? false : undefined;
}
