import { fontStack, monoStack, paletteCss } from '@sabia/service-kit/brand/palette';

/** Designed for upright phones; wider screens show the same card in the middle. */
export const pageStyle = `
${paletteCss}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:1rem/1.55 ${fontStack};-webkit-text-size-adjust:100%}
main{max-width:29rem;margin:0 auto;min-height:100vh;background:var(--card);padding:1.25rem 1.25rem 2rem}
@media (min-width:32rem){main{min-height:0;margin:3rem auto;padding:2rem 2rem 2.5rem;border:1px solid var(--line);border-radius:18px}}
header{display:flex;justify-content:space-between;align-items:center;gap:1rem}
.brand{display:inline-flex;align-items:center;gap:.55rem;font-weight:700;letter-spacing:-.01em;font-size:1.15rem}
.brand svg{display:block}
.status{font-size:.8125rem;font-weight:600;padding:.25rem .75rem;border-radius:1rem;background:var(--sunken);color:var(--soft);text-align:center}
.status.received,.status.confirmed{color:var(--good)}
.status.overdue{color:var(--bad)}
.amount{font-size:min(2.5rem,11vw);font-weight:700;letter-spacing:-.03em;margin:1.75rem 0 .75rem;line-height:1.1}
dl{margin:0 0 1.5rem}
dl div{display:flex;justify-content:space-between;gap:1rem;padding:.55rem 0;border-bottom:1px solid var(--line)}
dt{color:var(--soft)}
dd{margin:0;text-align:right;overflow-wrap:anywhere}
section{padding:.5rem 0 1.25rem}
h2{font-size:1.1rem;margin:.5rem 0 .25rem}
section p{margin:.25rem 0 1.25rem;color:var(--soft)}
.qr{width:min(15rem,100%);margin:0 auto 1.25rem;padding:.75rem;background:#fff;border-radius:14px;border:1px solid var(--line)}
.qr svg{display:block;width:100%;height:auto}
label{display:block;font-size:.9rem;font-weight:600;margin-bottom:.35rem}
textarea{display:block;width:100%;font:.8125rem/1.5 ${monoStack};color:var(--ink);background:var(--paper);border:1px solid var(--edge);border-radius:10px;padding:.65rem .75rem;resize:none;word-break:break-all}
#slip{word-break:normal}
button,.pay{display:block;width:100%;min-height:3rem;font:inherit;font-weight:600;border-radius:10px;border:0;cursor:pointer;text-align:center;text-decoration:none;padding:.7rem 1rem}
.copy{margin-top:.65rem;background:transparent;color:var(--ink);border:1px solid var(--edge)}
.pay{background:var(--accent);color:var(--on-accent);font-size:1.0625rem}
button:focus-visible,.pay:focus-visible,textarea:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{font-size:.875rem;color:var(--soft);text-align:center;margin:.85rem 0 0}
.closing{text-align:center;padding:1.5rem 0}
.sign{font-size:3rem;line-height:1;color:var(--soft);margin:0 0 .5rem}
.sign.received,.sign.confirmed{color:var(--good)}
`.replace(/\n/g, '');
