import { findUnstorableText } from './scalar-readers';

describe('findUnstorableText', () => {
  it('knows what PostgreSQL text cannot hold', () => {
    expect(findUnstorableText('a\0b')).toMatch(/NUL/);
    expect(findUnstorableText('\ud800')).toMatch(/Unicode/);
    expect(findUnstorableText('😀')).toBeUndefined();
  });
});
