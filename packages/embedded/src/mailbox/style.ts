import { fontStack, monoStack, paletteCss } from '@sabia/service-kit/brand/palette';

export const mailboxStyle = `
${paletteCss}
* { box-sizing: border-box; }
html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; background: var(--paper); color: var(--ink); font: 15px/1.55 ${fontStack}; }
header { display: flex; align-items: center; gap: .5rem 1.25rem; padding: .9rem 1.25rem; border-bottom: 1px solid var(--line); }
h1 { display: flex; align-items: center; gap: .6rem; margin: 0; font-size: 1.1rem; letter-spacing: -.01em; white-space: nowrap; }
h1 svg { display: block; }
h1 small { font-size: 1em; font-weight: 400; color: var(--soft); }
header p { margin: 0; color: var(--soft); font-size: .9rem; }
button { font: inherit; cursor: pointer; }
button:focus-visible, a:focus-visible { outline: 3px solid var(--accent); outline-offset: -3px; }
#back { display: none; border: 0; background: none; color: var(--accent); padding: .5rem 0; }
main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(16rem, 24rem) 1fr; }
#list { overflow-y: auto; border-right: 1px solid var(--line); margin: 0; padding: 0; list-style: none; }
#list button { display: block; width: 100%; padding: .85rem 1.25rem; border: 0; border-bottom: 1px solid var(--line); background: none; color: inherit; text-align: left; }
#list button:hover { background: var(--sunken); }
#list button[aria-current=true] { background: var(--sunken); box-shadow: inset 3px 0 var(--accent); }
.row { display: flex; justify-content: space-between; gap: .75rem; }
.subject { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.soft { color: var(--soft); font-size: .875rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
time { flex: none; }
article { display: flex; flex-direction: column; min-width: 0; min-height: 0; padding: 1.5rem; gap: 1rem; }
article h2 { margin: 0 0 .15rem; font-size: 1.3rem; line-height: 1.3; letter-spacing: -.01em; overflow-wrap: anywhere; }
article .soft { white-space: normal; overflow-wrap: anywhere; }
#tabs { display: flex; gap: .5rem; }
#tabs button { padding: .3rem 1rem; border: 1px solid var(--edge); border-radius: 99px; background: none; color: var(--ink); font-size: .9rem; }
#tabs button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
iframe, pre { flex: 1; min-height: 0; width: 100%; margin: 0; border: 1px solid var(--line); border-radius: 12px; }
iframe { background: var(--paper); }
pre { padding: 1.25rem; overflow: auto; background: var(--card); font: 14px/1.6 ${monoStack}; white-space: pre-wrap; overflow-wrap: anywhere; }
a { color: var(--accent); }
.empty { margin: auto; padding: 2rem; color: var(--soft); text-align: center; }
@media (max-width: 700px) {
  main { grid-template-columns: 1fr; }
  #list { border-right: 0; }
  article { display: none; padding: 1rem; }
  body.reading #list { display: none; }
  body.reading article { display: flex; }
  body.reading #back { display: inline; }
  header { justify-content: space-between; }
  body.reading header { flex-direction: row-reverse; }
  header p { display: none; }
}
`;
