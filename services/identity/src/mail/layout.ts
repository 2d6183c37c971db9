const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character]!);

export interface Letter {
  subject: string;
  /** The preview line that mail clients show beside the subject. */
  preview: string;
  heading: string;
  paragraphs: string[];
  button?: { label: string; link: string };
  /** Small print at the end. */
  notes: string[];
}

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Tables and inline styles only, which all mail clients render alike. */
export function layOutHtml(letter: Letter): string {
  const paragraphs = letter.paragraphs
    .map(
      (text) =>
        `<p style="margin:0 0 16px;${font};font-size:16px;line-height:24px;color:#37423d">${escapeHtml(text)}</p>`,
    )
    .join('\n              ');
  const notes = letter.notes
    .map(
      (text) =>
        `<p style="margin:0 0 8px;${font};font-size:13px;line-height:20px;color:#6b7770">${escapeHtml(text)}</p>`,
    )
    .join('\n              ');
  const button = letter.button === undefined ? '' : layOutButton(letter.button);
  const address = letter.button === undefined ? '' : layOutAddress(letter.button.link);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width,initial-scale=1">
    <meta name="color-scheme" content="light">
    <title>${escapeHtml(letter.subject)}</title>
  </head>
  <body style="margin:0;padding:0;background:#f1f4f2">
    <div style="display:none;max-height:0;overflow:hidden;opacity:0">${escapeHtml(letter.preview)}</div>
    <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#f1f4f2">
      <tr>
        <td align="center" style="padding:32px 16px">
          <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:520px">
            <tr>
              <td style="padding:0 8px 16px;${font};font-size:20px;font-weight:700;letter-spacing:-0.2px;color:#17603f">Sabi&aacute;</td>
            </tr>
            <tr>
              <td style="background:#ffffff;border:1px solid #e0e6e2;border-radius:12px;padding:32px">
              <h1 style="margin:0 0 16px;${font};font-size:22px;line-height:30px;font-weight:700;color:#16211b">${escapeHtml(letter.heading)}</h1>
              ${paragraphs}
              ${[button, notes, address].filter((part) => part !== '').join('\n              ')}
              </td>
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
  `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 24px">
                <tr>
                  <td align="center" bgcolor="#17603f" style="border-radius:8px">
                    <a href="${escapeHtml(link)}" style="display:inline-block;padding:13px 28px;${font};font-size:16px;font-weight:600;color:#ffffff;text-decoration:none;border-radius:8px">${escapeHtml(label)}</a>
                  </td>
                </tr>
              </table>`;

const layOutAddress = (link: string): string =>
  `<p style="margin:16px 0 0;padding-top:16px;border-top:1px solid #e0e6e2;${font};font-size:12px;line-height:18px;color:#6b7770">If the button does not work, open this address:<br><a href="${escapeHtml(link)}" style="color:#17603f;word-break:break-all">${escapeHtml(link)}</a></p>`;

export function layOutText(letter: Letter): string {
  return [
    letter.heading,
    ...letter.paragraphs,
    ...(letter.button === undefined ? [] : [`${letter.button.label}:\n${letter.button.link}`]),
    ...letter.notes,
    '-- \nSabiá',
  ].join('\n\n');
}
