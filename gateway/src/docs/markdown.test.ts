import { renderMarkdown } from './markdown';

test('a guide has a title and sections with the ids that GitHub gives', () => {
  const { title, sections, html } = renderMarkdown('# Ligações\n\n## Por que terminam?\n\n## Por que terminam?\n');
  expect(title).toBe('Ligações');
  expect(sections).toEqual([
    { id: 'por-que-terminam', title: 'Por que terminam?' },
    { id: 'por-que-terminam-1', title: 'Por que terminam?' },
  ]);
  expect(html).toContain('<h2 id="por-que-terminam">');
});

test('links to other guides lead to their pages, others stay', () => {
  const { html } = renderMarkdown('[a](top-up.md#rules) [b](https://example.com/x.md) [c](#here)');
  expect(html).toContain('href="top-up#rules"');
  expect(html).toContain('href="https://example.com/x.md"');
  expect(html).toContain('href="#here"');
});

test('examples in several languages are tabs, others are not', () => {
  const fence = (language: string) => `\`\`\`${language}\n${language} <code>\n\`\`\`\n\n`;
  const { html } = renderMarkdown(`${fence('bash')}${fence('js')}\nthen\n\n${fence('bash')}${fence('json')}`);
  expect(html.match(/<div class="tabs">/g)).toHaveLength(1);
  expect(html.match(/<pre /g)).toHaveLength(4);
  expect(html).toContain('js &lt;code&gt;');
});

test('markup in a guide stays text, and nothing has a style of its own', () => {
  const { html } = renderMarkdown('<b>x</b>\n\n| a |\n| --: |\n| 1 |\n');
  expect(html).toContain('&lt;b&gt;');
  expect(html).not.toContain('style=');
});
