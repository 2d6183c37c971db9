import { Fragment } from 'react';

/** An e-mail, a host or a URL, which breaks where it is read apart and only otherwise in the middle of a word. */
export function Address({ text }: { text: string }) {
  const parts = text.split(text.includes('@') ? /(?=@)/ : /(?=[.?])|(?<=\w\/)/);
  return (
    <span className="[overflow-wrap:anywhere]">
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && <wbr />}
          {part}
        </Fragment>
      ))}
    </span>
  );
}
