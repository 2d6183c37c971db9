import { fontStack, monoStack, paletteCss } from '@sabia/service-kit/brand/palette';

/** A style sheet on one line. */
export const compact = (css: string): string => css.replaceAll('\n', '');

/** What every page has. */
export const baseStyle = compact(`
${paletteCss}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;font:1rem/1.6 ${fontStack};color:var(--ink);background:var(--paper);-webkit-text-size-adjust:100%}
.top{display:flex;align-items:center;justify-content:space-between;gap:1rem;width:100%;max-width:68rem;margin:0 auto;padding:1.25rem 1.5rem}
.brand{display:inline-flex;align-items:center;gap:.6rem;font-weight:700;font-size:1.15rem;letter-spacing:-.01em;color:var(--ink);text-decoration:none}
.brand svg{display:block}
.top nav{display:flex;flex-wrap:wrap;justify-content:flex-end;gap:.25rem 1.25rem}
.top nav a{color:var(--ink);text-decoration:none;font-weight:550}
.top nav a:hover{color:var(--accent)}
main{flex:1;width:100%;max-width:34rem;margin:0 auto;padding:clamp(1.5rem,7vh,5rem) 1.5rem 4rem}
h1{font-size:clamp(1.6rem,1.35rem + 1vw,2rem);line-height:1.2;letter-spacing:-.02em;margin:0 0 .85rem;text-wrap:balance}
h2{font-size:1.15rem;line-height:1.3;margin:2rem 0 .5rem}
p{margin:.6rem 0;text-wrap:pretty}
.whole{white-space:nowrap}
a{color:var(--accent);text-underline-offset:.15em}
a:focus-visible,button:focus-visible,input:focus-visible,summary:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:6px}
.soft{color:var(--soft)}
.card{background:var(--card);border:1px solid var(--line);border-radius:18px;padding:clamp(1.5rem,5vw,2.5rem);overflow-wrap:anywhere}
.sign{display:grid;place-items:center;width:3rem;height:3rem;border-radius:50%;margin:0 0 1.25rem;background:var(--sunken);color:var(--soft)}
.sign.good{color:var(--good)}.sign.bad{color:var(--bad)}
.sign svg{display:block}
form{margin:1.5rem 0 0}
label{display:block;font-weight:600;margin:1.1rem 0 .35rem}
input{display:block;width:100%;min-height:3rem;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--edge);border-radius:10px;padding:.6rem .85rem}
input[readonly]{color:var(--soft);background:var(--sunken);border-color:var(--line)}
input[aria-invalid=true]{border-color:var(--bad)}
.hint{margin:.35rem 0 0;font-size:.9rem;color:var(--soft)}
.problem{margin:.35rem 0 0;font-size:.95rem;font-weight:600;color:var(--bad)}
.actions{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.75rem 0 0}
.button{display:inline-flex;align-items:center;justify-content:center;min-height:3rem;font:inherit;font-weight:600;text-decoration:none;color:var(--on-accent);background:var(--accent);border:1px solid transparent;border-radius:10px;padding:.6rem 1.35rem;cursor:pointer}
.button:hover{filter:brightness(1.08)}
.button.quiet{color:var(--ink);background:none;border-color:var(--edge)}
.button.quiet:hover{border-color:var(--ink);filter:none}
code,pre{font:.875rem/1.6 ${monoStack}}
code{background:var(--sunken);border-radius:6px;padding:.1rem .35rem}
.request{margin:1.75rem 0 0;padding-top:1rem;border-top:1px solid var(--line);font-size:.875rem;color:var(--soft)}
footer{width:100%;max-width:68rem;margin:0 auto;padding:1.5rem;font-size:.9rem;color:var(--soft);display:flex;flex-wrap:wrap;gap:.4rem 1.5rem}
footer a{color:var(--soft)}
@media (max-width:30rem){.top{flex-wrap:wrap;padding:1rem 1.5rem}.top nav{font-size:.9rem}.actions .button,form .button{width:100%}}
`);

/** What the home page has beyond that. */
export const homeStyle = compact(`
main{max-width:68rem;padding-top:clamp(1.5rem,6vh,4.5rem)}
.hero{display:grid;grid-template-columns:minmax(0,1fr);gap:clamp(2rem,5vw,4rem);align-items:center}
.hero h1{font-size:clamp(2.1rem,1.4rem + 3.2vw,3.4rem);line-height:1.08;letter-spacing:-.035em;margin-bottom:1.25rem}
.lead{font-size:clamp(1.05rem,1rem + .35vw,1.25rem);line-height:1.6;color:var(--soft);max-width:36rem;margin:0}
.code{min-width:0;background:var(--card);border:1px solid var(--line);border-radius:18px;padding:1.25rem 1.5rem}
.code p{margin:0 0 .75rem;font-size:.9rem;color:var(--soft)}
.code pre{margin:0;font-size:.85rem;white-space:pre-wrap;overflow-wrap:anywhere}
.code pre+p{margin:1rem 0 .75rem;padding-top:1rem;border-top:1px solid var(--line)}
.code b{font-weight:600;color:var(--accent)}
.points{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(15rem,100%),1fr));gap:1.25rem;margin:clamp(3rem,8vw,5.5rem) 0 0;padding:0;list-style:none}
.points li{background:var(--card);border:1px solid var(--line);border-radius:18px;padding:1.5rem}
.points svg{display:block;color:var(--accent);margin-bottom:.9rem}
.points h2{margin:0 0 .35rem;font-size:1.05rem}
.points p{margin:0;color:var(--soft);font-size:.95rem}
@media (min-width:60rem){.hero{grid-template-columns:minmax(0,1.15fr) minmax(0,1fr)}}
`);
