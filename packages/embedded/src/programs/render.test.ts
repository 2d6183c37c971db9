import { renderTemplate } from './render';

describe('renderTemplate', () => {
  it('fills placeholders and leaves dialplan variables alone', () => {
    expect(
      renderTemplate('bind={{HOST}}:{{PORT}}\nsame => n,Stasis(${EXTEN})', { HOST: '127.0.0.1', PORT: 5060 }),
    ).toBe('bind=127.0.0.1:5060\nsame => n,Stasis(${EXTEN})');
  });

  it('leaves out a line whose value is empty', () => {
    expect(renderTemplate('a=1\nlocal_net={{NET}}\nb=2', { NET: '' })).toBe('a=1\nb=2');
  });

  it('leaves comments as they are', () => {
    expect(renderTemplate('; {{NAME}} is filled in', {})).toBe('; {{NAME}} is filled in');
  });

  it('names a missing value', () => {
    expect(() => renderTemplate('x={{ABSENT}}', {})).toThrow('{{ABSENT}}');
  });

  it.each(['a;b', 'a\nb', 'a"b'])('refuses a value that would become another option or a comment: %j', (value) => {
    expect(() => renderTemplate('x={{SECRET}}', { SECRET: value })).toThrow('SECRET holds a character');
  });
});
