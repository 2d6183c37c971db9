import { findPending } from './migrate';
import { checkNames, checkStatements, readConcurrentIndex } from './migration-files';
import type { MigrationFile } from './migration-files';

const file = (name: string, checksum = 'a'): MigrationFile => ({
  set: 'identity',
  name,
  path: `${name}.sql`,
  sql: '',
  checksum,
});
const row = (name: string, checksum = 'a') => ({ set: 'identity', name, checksum });

describe('migration files', () => {
  it('are named by number, verb and noun', () => {
    expect(() => checkNames(['0001_create_users.sql', '0002_add_phone_to_users.sql'], 'x')).not.toThrow();
    expect(() => checkNames(['1_create_users.sql'], 'x')).toThrow(/NNNN_verb_noun/);
    expect(() => checkNames(['0001-create-users.sql'], 'x')).toThrow(/NNNN_verb_noun/);
    expect(() => checkNames(['0001_create_users.sql', '0001_create_roles.sql'], 'x')).toThrow(/same number/);
  });

  it('make an index concurrently in a file of its own', () => {
    const index = 'CREATE INDEX CONCURRENTLY calls_at ON calls (at) WHERE at IS NOT NULL';
    expect(readConcurrentIndex(`-- concurrently; why\n${index};\n`, 'x.sql')).toEqual({
      name: 'calls_at',
      table: 'calls',
      definition: '(at) WHERE at IS NOT NULL',
    });
    expect(readConcurrentIndex('-- concurrently\nCREATE INDEX a ON b (c);', 'x.sql')).toBeUndefined();
    for (const wrong of [`${index}; SELECT 1`, `SELECT 1; ${index}`, 'CREATE INDEX CONCURRENTLY ON calls (at)']) {
      expect(() => readConcurrentIndex(wrong, 'x.sql')).toThrow(/only statement/);
    }
  });

  it.each(['BEGIN;', 'commit ;', '  ROLLBACK;', 'START TRANSACTION;', 'SELECT 1;\ncommit work;'])(
    'may not contain %j',
    (sql) => {
      expect(() => checkStatements(sql, 'x.sql')).toThrow(/one transaction already/);
    },
  );

  it('may define functions', () => {
    const sql = 'CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$\nBEGIN\n  RETURN new;\nEND;\n$$;';
    expect(() => checkStatements(sql, 'x.sql')).not.toThrow();
  });
});

describe('findPending', () => {
  it('gives what is not applied, in order', () => {
    expect(findPending([file('0001_a'), file('0002_b'), file('0003_c')], [row('0001_a')])).toEqual([
      file('0002_b'),
      file('0003_c'),
    ]);
  });

  it('keeps the sets apart', () => {
    expect(findPending([file('0001_a')], [{ set: 'kit', name: '0002_b', checksum: 'b' }])).toEqual([file('0001_a')]);
  });

  it('ignores what only the database knows', () => {
    expect(findPending([file('0001_a')], [row('0001_a'), row('0002_b')])).toEqual([]);
  });

  it('refuses a changed file and one that comes too late', () => {
    expect(() => findPending([file('0001_a', 'b')], [row('0001_a')])).toThrow(/was changed/);
    expect(() => findPending([file('0001_a'), file('0002_b')], [row('0002_b')])).toThrow(/0001_a is new but 0002_b/);
  });
});
