import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { escapeHtml } from '@sabia/service-kit/brand/html';

export interface RenderedMarkdown {
  /** The first heading, as text. */
  title: string;
  html: string;
  /** The headings below it, for the list of contents. */
  sections: { id: string; title: string }[];
}

const languageNames: Record<string, string> = {
  bash: 'curl',
  js: 'JavaScript',
  python: 'Python',
  php: 'PHP',
  go: 'Go',
};

/** Renders a guide. Fences of several languages that follow each other are one example, shown as tabs. */
export function renderMarkdown(text: string): RenderedMarkdown {
  const markdown = new MarkdownIt();
  const tokens = markdown.parse(text, {});
  const sections: RenderedMarkdown['sections'] = [];
  let title = '';
  const ids = new Set<string>();
  tokens.forEach((token, index) => {
    if (token.type === 'heading_open') {
      const words = textOf(tokens[index + 1]);
      const id = uniqueId(words, ids);
      token.attrSet('id', id);
      if (token.tag === 'h1') title = words;
      if (token.tag === 'h2') sections.push({ id, title: words });
    }
    // The alignment of a column is a style attribute, which the Content-Security-Policy of pages forbids.
    if (token.type === 'th_open' || token.type === 'td_open') token.attrs = null;
    for (const child of token.children ?? []) {
      if (child.type === 'link_open') child.attrSet('href', pageAddress(String(child.attrGet('href'))));
    }
  });
  markdown.renderer.rules['table_open'] = () => '<div class="wide" tabindex="0"><table>\n';
  markdown.renderer.rules['table_close'] = () => '</table></div>\n';
  markdown.renderer.rules['fence'] = (all, index) => renderFence(all, index);
  return { title, html: markdown.renderer.render(tokens, markdown.options, {}), sections };
}

const textOf = (inline: Token | undefined): string =>
  (inline?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

/** The same ids as GitHub gives, so that links to sections work in both places. */
function uniqueId(words: string, taken: Set<string>): string {
  const plain = words
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  let id = plain;
  for (let count = 1; taken.has(id); count++) id = `${plain}-${count}`;
  taken.add(id);
  return id;
}

/** A guide links to the file of another one; its page has the same name without the ending. */
const pageAddress = (address: string): string => address.replace(/^([\w-]+)\.md(?=#|$)/, '$1');

function renderFence(tokens: Token[], index: number): string {
  const isExample = (token: Token | undefined): token is Token =>
    token?.type === 'fence' && token.info.trim() in languageNames;
  const token = tokens[index]!;
  if (!isExample(token)) return codeBlock(token);
  // The first of the examples draws all of them.
  if (isExample(tokens[index - 1])) return '';
  const group = [token];
  for (let next = tokens[index + 1]; isExample(next); next = tokens[index + group.length]) group.push(next);
  return group.length === 1 ? codeBlock(token) : tabs(group, index);
}

const codeBlock = ({ content, info }: Token): string =>
  `<pre tabindex="0"${info === '' ? '' : ` data-language="${escapeHtml(info.trim())}"`}><code>${escapeHtml(content)}</code></pre>\n`;

/** Tabs without a script: radio buttons, of which the checked one shows the block behind it. */
function tabs(group: Token[], number: number): string {
  const choices = group.map((token, position) => {
    const language = token.info.trim();
    const id = `example-${number}-${language}`;
    return `<input type="radio" name="example-${number}" id="${id}"${position === 0 ? ' checked' : ''}><label for="${id}">${languageNames[language]!}</label>${codeBlock(token)}`;
  });
  return `<div class="tabs">${choices.join('')}</div>\n`;
}
