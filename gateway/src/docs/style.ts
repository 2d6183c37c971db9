import { compact } from '../pages/style';

/** What guides have beyond every page: a list of all guides beside the text, and examples as tabs. */
export const guideStyle = compact(`
main{max-width:68rem;padding-top:1rem}
.docs{display:grid;grid-template-columns:minmax(0,1fr);gap:1.5rem 3rem}
.docs h2{font-size:1.35rem;margin:2.5rem 0 .75rem;scroll-margin-top:1rem}
.docs h3{font-size:1.05rem;margin:1.75rem 0 .5rem;scroll-margin-top:1rem}
.docs ul,.docs ol{padding-left:1.25rem}
.docs li{margin:.35rem 0}
.docs article{min-width:0;overflow-wrap:break-word}
.docs pre,.docs pre code{font-size:.8125rem}
.docs pre{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:1rem 1.15rem;overflow-x:auto;margin:1rem 0}
.docs pre code{background:none;padding:0}
.docs pre:focus-visible,.wide:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.wide{overflow-x:auto;margin:1rem 0}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.5rem .9rem .5rem 0;border-bottom:1px solid var(--line);vertical-align:top;min-width:4rem}
th{font-weight:600;color:var(--soft)}
.guides ul{list-style:none;margin:0;padding:0}
.guides a{display:block;padding:.2rem 0;color:var(--ink);text-decoration:none}
.guides a:hover{color:var(--accent)}
.guides a[aria-current]{color:var(--accent);font-weight:600}
.guides ul ul a{font-size:.9rem;padding-left:.9rem;color:var(--soft)}
.tabs{display:flex;flex-wrap:wrap;margin:1rem 0}
.tabs input{position:absolute;opacity:0;width:1px;height:1px;min-height:0}
.tabs label{margin:0;padding:.4rem .9rem;font-weight:550;font-size:.9rem;cursor:pointer;color:var(--soft);border-bottom:2px solid transparent}
.tabs input:checked+label{color:var(--accent);border-color:var(--accent)}
.tabs input:focus-visible+label{outline:3px solid var(--accent);outline-offset:2px;border-radius:6px}
.tabs pre{order:1;width:100%;display:none;margin:.5rem 0 0}
.tabs input:checked+label+pre{display:block}
@media (max-width:60rem){.guides{order:1;border-top:1px solid var(--line);padding-top:1.5rem}}
@media (min-width:60rem){
.docs{grid-template-columns:14rem minmax(0,1fr)}
.guides{position:sticky;top:1rem;align-self:start;max-height:calc(100vh - 2rem);overflow-y:auto}
}
`);

/** What the reference has beyond every page; Scalar brings its own. */
export const referenceStyle = compact(`
.top{max-width:none}
main{max-width:none;padding:0}
#session{margin:0;padding:.5rem 1.5rem;font-size:.9rem;background:var(--sunken);color:var(--soft);border-block:1px solid var(--line)}
#reference{overflow-x:clip}
.wait{padding:2rem 1.5rem}
`);
