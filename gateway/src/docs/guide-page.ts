import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { Language } from '@sabia/service-kit/brand/language';
import { layout } from '../pages/layout';
import { guideNames } from './guides';
import type { GuideName, Guides } from './guides';
import { docsLinks } from './links';
import { guideStyle } from './style';
import { words } from './words';

/** A guide beside the list of all of them. Links are relative: they stay below the address under which the page was opened. */
export function guidePage(guides: Guides, name: GuideName, language: Language): string {
  const { title, html, sections } = guides.read(name, language);
  const titles = guides.titles(language);
  const inside = sections.map((section) => item(`#${encodeURIComponent(section.id)}`, section.title)).join('');
  const list = guideNames.map((each) =>
    each === name
      ? `<li><a href="${each}" aria-current="page">${escapeHtml(titles[each])}</a><ul>${inside}</ul></li>`
      : item(each, titles[each]),
  );
  return layout({
    language,
    title,
    style: guideStyle,
    links: docsLinks(language, name),
    body: `<div class="docs">
<nav class="guides" aria-label="${words[language].guides}"><ul>
${list.join('\n')}
</ul></nav>
<article>
${html}</article>
</div>`,
  });
}

const item = (address: string, title: string): string => `<li><a href="${address}">${escapeHtml(title)}</a></li>`;
