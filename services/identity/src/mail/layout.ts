import { escapeHtml } from '@sabia/service-kit/brand/html';
import type { Language } from '@sabia/service-kit/brand/language';
import { markContentId } from '@sabia/service-kit/brand/mark-image';
import { brandName, palette } from '@sabia/service-kit/brand/palette';
import type { Letter } from './letter';

const { light, dark } = palette;
const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

const words: Record<Language, { openAddress: string; slogan: string }> = {
  'pt-BR': {
    openAddress: 'Se o botão não funcionar, abra este endereço:',
    slogan: 'ligações de voz por API e no navegador',
  },
  en: {
    openAddress: 'If the button does not work, open this address:',
    slogan: 'voice calls by API and in the browser',
  },
};

/** For the mail clients that follow the reader's system; all others show the colours of the inline styles. */
const darkStyle = `@media (prefers-color-scheme:dark){.paper{background:${dark.paper}!important}.card{background:${dark.card}!important;border-color:${dark.line}!important}.ink{color:${dark.ink}!important}.soft{color:${dark.soft}!important;border-color:${dark.line}!important}.link{color:${dark.accent}!important}.button{background:${dark.accent}!important;color:${dark.onAccent}!important}}`;

/** Tables and inline styles, which all mail clients render alike. */
export function layOutHtml(letter: Letter): string {
  const paragraphs = letter.paragraphs.map(
    (text) =>
      `<p class="ink" style="margin:0 0 16px;${font};font-size:16px;line-height:25px;color:${light.ink}">${escapeHtml(text)}</p>`,
  );
  const notes = letter.notes.map(
    (text) =>
      `<p class="soft" style="margin:0 0 8px;${font};font-size:14px;line-height:21px;color:${light.soft}">${escapeHtml(text)}</p>`,
  );
  const { openAddress, slogan } = words[letter.language];
  const parts = [
    ...paragraphs,
    ...(letter.button === undefined ? [] : [layOutButton(letter.button)]),
    ...notes,
    ...(letter.button === undefined ? [] : [layOutAddress(openAddress, letter.button.link)]),
  ];
  return `<!doctype html>
<html lang="${letter.language}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="supported-color-schemes" content="light dark">
    <title>${escapeHtml(letter.subject)}</title>
    <style>${darkStyle}</style>
  </head>
  <body class="paper" style="margin:0;padding:0;background:${light.paper}">
    <div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(letter.preview)}</div>
    <table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${light.paper}">
      <tr>
        <td align="center" style="padding:36px 16px">
          <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:540px">
            <tr>
              <td style="padding:0 4px 20px">
                <table role="presentation" cellpadding="0" cellspacing="0" border="0">
                  <tr>
                    <td style="padding-right:10px"><img src="cid:${markContentId}" width="32" height="32" alt="" style="display:block;border:0"></td>
                    <td class="ink" style="${font};font-size:19px;font-weight:700;letter-spacing:-0.2px;color:${light.ink}">${brandName}</td>
                  </tr>
                </table>
              </td>
            </tr>
            <tr>
              <td class="card" style="background:${light.card};border:1px solid ${light.line};border-radius:16px;padding:36px 32px">
              <h1 class="ink" style="margin:0 0 18px;${font};font-size:24px;line-height:31px;font-weight:700;letter-spacing:-0.3px;color:${light.ink}">${escapeHtml(letter.heading)}</h1>
              ${parts.join('\n              ')}
              </td>
            </tr>
            <tr>
              <td class="soft" align="center" style="padding:20px 4px 0;${font};font-size:12px;line-height:18px;color:${light.soft}">${brandName} · ${slogan}</td>
            </tr>
          </table>
        </td>
      </tr>
    </table>
  </body>
</html>
`;
}

const layOutButton = ({ label, link }: NonNullable<Letter['button']>): string =>
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:10px 0 28px">
                <tr>
                  <td align="center" class="button" bgcolor="${light.accent}" style="border-radius:10px">
                    <a class="button" href="${escapeHtml(link)}" style="display:inline-block;padding:14px 30px;${font};font-size:16px;font-weight:600;color:${light.onAccent};text-decoration:none;border-radius:10px">${escapeHtml(label)}</a>
                  </td>
                </tr>
              </table>`;

const layOutAddress = (words: string, link: string): string =>
  `<p class="soft" style="margin:20px 0 0;padding-top:18px;border-top:1px solid ${light.line};${font};font-size:12px;line-height:18px;color:${light.soft}">${words}<br><a class="link" href="${escapeHtml(link)}" style="color:${light.accent};word-break:break-all">${escapeHtml(link)}</a></p>`;

export function layOutText(letter: Letter): string {
  return [
    letter.heading,
    ...letter.paragraphs,
    ...(letter.button === undefined ? [] : [`${letter.button.label}:\n${letter.button.link}`]),
    ...letter.notes,
    `-- \n${brandName} · ${words[letter.language].slogan}`,
  ].join('\n\n');
}
