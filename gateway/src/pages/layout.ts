interface Layout {
  title: string;
  body: string;
  wide?: boolean;
  language?: 'en' | 'pt-BR';
}

/** The frame of every page. Everything is in the page itself: no script, no font, no image from anywhere. */
export function layout({ title, body, wide = false, language = 'en' }: Layout): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='7' fill='%23c4622d'/%3E%3C/svg%3E">
<style>${style}</style>
</head>
<body>
<header><a class="brand" href="/"><span class="bird" aria-hidden="true"></span>Sabiá</a></header>
<main${wide ? ' class="wide"' : ''}>
${body}
</main>
</body>
</html>
`;
}

const replacements: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => replacements[character] ?? character);
}

const style = `
:root{--ink:#22201d;--soft:#6d665e;--paper:#fbf9f6;--card:#fff;--line:#e6e0d8;--accent:#c4622d;--good:#2f7d4f;--bad:#a33a2c;--code:#f4efe8}
@media (prefers-color-scheme:dark){:root{--ink:#efe9e1;--soft:#a79d91;--paper:#191715;--card:#221f1c;--line:#38332e;--accent:#e58a54;--good:#6fc492;--bad:#e5806f;--code:#2a2622}}
*{box-sizing:border-box}
body{margin:0;font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;color:var(--ink);background:var(--paper)}
header{padding:1.25rem 1.5rem}
.brand{display:inline-flex;align-items:center;gap:.55rem;font-weight:650;font-size:1.1rem;color:var(--ink);text-decoration:none}
.bird{width:.85rem;height:.85rem;border-radius:50% 50% 50% 0;background:var(--accent)}
main{max-width:36rem;margin:8vh auto 4rem;padding:0 1.5rem}
main.wide{max-width:60rem;margin-top:1rem}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .75rem}
h2{font-size:1.2rem;margin:2.5rem 0 .75rem;text-transform:capitalize}
p{margin:.5rem 0}
a{color:var(--accent)}
.soft{color:var(--soft)}
.card{background:var(--card);border:1px solid var(--line);border-radius:14px;padding:2rem}
.mark{display:inline-grid;place-items:center;width:3rem;height:3rem;border-radius:50%;color:#fff;font-size:1.5rem;margin-bottom:1rem}
.mark.good{background:var(--good)}.mark.bad{background:var(--bad)}
code,pre{font:.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--code);border-radius:6px}
code{padding:.1rem .35rem}pre{padding:1rem;overflow-x:auto}
ul.plain{list-style:none;padding:0;margin:1.25rem 0 0}ul.plain li{margin:.4rem 0}
details{background:var(--card);border:1px solid var(--line);border-radius:10px;margin:.5rem 0}
summary{display:flex;gap:.75rem;align-items:baseline;flex-wrap:wrap;padding:.7rem 1rem;cursor:pointer}
summary .path{font:600 .9rem ui-monospace,SFMono-Regular,Menlo,monospace}
details .inside{padding:0 1rem 1rem;border-top:1px solid var(--line)}
.verb{font:700 .72rem ui-monospace,monospace;padding:.15rem .45rem;border-radius:5px;color:#fff;background:var(--soft);min-width:3.6rem;text-align:center}
.verb.get{background:#2d6cc4}.verb.post{background:#2f7d4f}.verb.put,.verb.patch{background:#a8741a}.verb.delete{background:#a33a2c}
.tag{font-size:.72rem;padding:.1rem .45rem;border:1px solid var(--line);border-radius:99px;color:var(--soft)}
table{border-collapse:collapse;width:100%;margin:.5rem 0 1rem;font-size:.9rem}
th,td{text-align:left;padding:.35rem .75rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
th{font-weight:600;color:var(--soft)}
input[type=password]{width:100%;font:inherit;color:inherit;background:var(--paper);border:1px solid var(--line);border-radius:8px;padding:.6rem .75rem}
button{font:inherit;font-weight:600;color:#fff;background:var(--accent);border:0;border-radius:8px;padding:.6rem 1.1rem;cursor:pointer}
h3{font-size:.95rem;margin:1rem 0 .25rem}
`.replaceAll('\n', '');
