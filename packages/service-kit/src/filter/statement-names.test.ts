import { switchOff } from '../plain-paths';
import { createStatementNames } from './statement-names';

test('one text, one name, and no more names than connections shall keep', () => {
  const nameOf = createStatementNames('list', 2);
  expect(['a', 'b', 'a', 'c', 'b'].map(nameOf)).toEqual(['list-1', 'list-2', 'list-1', undefined, 'list-2']);
});

test('no statement is named while prepared lists are switched off', () => {
  const nameOf = createStatementNames('list', 2);
  switchOff(new Set(['prepared-lists']));
  try {
    expect(nameOf('a')).toBeUndefined();
  } finally {
    switchOff(new Set());
  }
  expect(nameOf('a')).toBe('list-1');
});
