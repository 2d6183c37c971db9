/** Designed for upright phones; wider screens show the same card in the middle. */
export const pageStyle = `
:root{--ink:#1c2430;--soft:#5b6675;--line:#e3e7ec;--paper:#fff;--ground:#f1f4f2;--accent:#0b7a4b;--accent-ink:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#eef2f6;--soft:#a3adba;--line:#313a46;--paper:#1a212b;--ground:#10151c;--accent:#2fb57a;--accent-ink:#06140d}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
main{max-width:28rem;margin:0 auto;min-height:100vh;background:var(--paper);padding:1.25rem 1.25rem 2rem}
@media (min-width:32rem){main{min-height:0;margin:2.5rem auto;border-radius:1rem;box-shadow:0 1px 2px rgba(0,0,0,.06),0 12px 32px rgba(0,0,0,.08)}}
header{display:flex;justify-content:space-between;align-items:center;gap:1rem}
.brand{font-weight:700;letter-spacing:-.02em;font-size:1.25rem;color:var(--accent)}
.status{font-size:.8125rem;padding:.2rem .7rem;border-radius:1rem;background:var(--line)}
.status.received,.status.confirmed{background:var(--accent);color:var(--accent-ink)}
.status.overdue{background:#b4540a;color:#fff}
.amount{font-size:min(2.5rem,11vw);font-weight:700;letter-spacing:-.03em;margin:1.25rem 0 .5rem;line-height:1.1}
dl{margin:0 0 1.25rem}
dl div{display:flex;justify-content:space-between;gap:1rem;padding:.4rem 0;border-bottom:1px solid var(--line)}
dt{color:var(--soft)}
dd{margin:0;text-align:right;overflow-wrap:anywhere}
section{padding:.5rem 0 1rem}
h2{font-size:1.0625rem;margin:.5rem 0 .25rem}
section p{margin:.25rem 0 1rem;color:var(--soft)}
.qr{width:min(15rem,100%);margin:0 auto 1rem;padding:.75rem;background:#fff;border-radius:.75rem;border:1px solid var(--line)}
.qr svg{display:block;width:100%;height:auto}
label{display:block;font-size:.875rem;color:var(--soft);margin-bottom:.25rem}
textarea{width:100%;font:.8125rem/1.45 ui-monospace,Menlo,Consolas,monospace;color:var(--ink);background:var(--ground);border:1px solid var(--line);border-radius:.6rem;padding:.6rem .7rem;resize:none;word-break:break-all}
#slip{word-break:normal}
button,.pay{display:block;width:100%;min-height:3rem;font:inherit;font-weight:600;border-radius:.75rem;border:0;cursor:pointer;text-align:center;text-decoration:none;padding:.7rem 1rem}
.copy{margin-top:.6rem;background:transparent;color:var(--accent);border:1px solid var(--accent)}
.pay{background:var(--accent);color:var(--accent-ink);font-size:1.0625rem}
button:focus-visible,.pay:focus-visible,textarea:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{font-size:.8125rem;color:var(--soft);text-align:center;margin:.75rem 0 0}
.closing{text-align:center;padding:1.5rem 0}
.sign{font-size:3rem;line-height:1;color:var(--accent);margin:0 0 .5rem}
`.replace(/\n/g, '');
