import { asteriskRecipe, loadedModules } from './recipe';

describe('loadedModules', () => {
  it('finds the modules that modules.conf loads, not the commented ones', () => {
    expect(loadedModules('[modules]\nautoload=no\npreload=a.so\nload=b.so\n;load=c.so\n; load=d.so\n')).toEqual([
      'a.so',
      'b.so',
    ]);
  });
});

describe('asteriskRecipe', () => {
  it('bears an id that changes with its content', () => {
    const recipe = asteriskRecipe();
    expect(recipe.id).toMatch(/^asterisk-[0-9a-f]{8}$/);
    expect(recipe.plugins).toContain('asterisk/modules/chan_pjsip.so');
  });
});
