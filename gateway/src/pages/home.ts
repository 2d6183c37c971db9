import { escapeHtml, layout } from './layout';

export function homePage(publicUrl: string): string {
  const base = escapeHtml(publicUrl);
  return layout({
    title: 'Sabiá',
    body: `<h1>Sabiá is listening</h1>
<p class="soft">A voice-calling platform behind a REST API: place calls, follow them, get told how they ended.</p>
<pre>curl ${base}/api/v1/users/me \\
  -H 'Authorization: &lt;your token&gt;'</pre>
<ul class="plain">
<li><a href="/docs">API reference</a> <span class="soft">every route, its fields and its limits</span></li>
<li><a href="/openapi.json">OpenAPI document</a> <span class="soft">the same for machines</span></li>
<li><a href="/readyz">Readiness</a> <span class="soft">which dependencies are up</span></li>
</ul>`,
  });
}
