/** The whole web page of the mailbox; it fetches nothing but the list of mails. */
export const mailboxPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mailbox · Sabiá</title>
<style>
  :root {
    color-scheme: light dark;
    --back: #faf8f5; --card: #fff; --ink: #26221d; --soft: #7b7267; --line: #e8e2d9; --accent: #b4551f; --chosen: #fbeee3;
  }
  @media (prefers-color-scheme: dark) {
    :root { --back: #191714; --card: #211e1a; --ink: #ece6de; --soft: #a1968a; --line: #35302a; --accent: #ee9459; --chosen: #33271d; }
  }
  * { box-sizing: border-box; }
  html, body { height: 100%; margin: 0; }
  body { display: flex; flex-direction: column; background: var(--back); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
  header { display: flex; align-items: baseline; gap: .75rem; padding: .9rem 1.25rem; border-bottom: 1px solid var(--line); }
  h1 { margin: 0; font-size: 1.05rem; }
  h1 span { color: var(--accent); }
  header p { margin: 0; color: var(--soft); font-size: .85rem; }
  #back { display: none; border: 0; background: none; color: var(--accent); font: inherit; padding: 0; cursor: pointer; }
  main { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(16rem, 24rem) 1fr; }
  #list { overflow-y: auto; border-right: 1px solid var(--line); margin: 0; padding: 0; list-style: none; }
  #list button { display: block; width: 100%; padding: .75rem 1.25rem; border: 0; border-bottom: 1px solid var(--line); background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
  #list button:hover, #list button:focus-visible { background: var(--card); outline: none; }
  #list button[aria-current=true] { background: var(--chosen); box-shadow: inset 3px 0 var(--accent); }
  .row { display: flex; justify-content: space-between; gap: .75rem; }
  .subject { font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .soft { color: var(--soft); font-size: .85rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  time { flex: none; }
  article { display: flex; flex-direction: column; min-width: 0; min-height: 0; padding: 1.25rem 1.5rem; gap: .9rem; }
  article h2 { margin: 0; font-size: 1.25rem; overflow-wrap: anywhere; }
  article .soft { white-space: normal; overflow-wrap: anywhere; }
  #tabs { display: flex; gap: .4rem; }
  #tabs button { padding: .2rem .8rem; border: 1px solid var(--line); border-radius: 99px; background: none; color: var(--soft); font: inherit; font-size: .85rem; cursor: pointer; }
  #tabs button[aria-pressed=true] { background: var(--accent); border-color: var(--accent); color: var(--back); }
  iframe, pre { flex: 1; min-height: 0; width: 100%; margin: 0; border: 1px solid var(--line); border-radius: 8px; }
  iframe { background: #fff; }
  pre { padding: 1rem 1.1rem; overflow: auto; background: var(--card); font: 14px/1.6 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
  a { color: var(--accent); }
  .empty { margin: auto; padding: 2rem; color: var(--soft); text-align: center; }
  @media (max-width: 700px) {
    main { grid-template-columns: 1fr; }
    #list { border-right: 0; }
    article { display: none; padding: 1rem; }
    body.reading #list { display: none; }
    body.reading article { display: flex; }
    body.reading #back { display: inline; }
    header p { display: none; }
  }
</style>
</head>
<body>
<header>
  <button id="back" type="button">‹ All mails</button>
  <h1><span>Sabiá</span> mailbox</h1>
  <p id="state">Every mail this stack sends lands here; none leaves the machine.</p>
</header>
<main>
  <ul id="list" aria-label="Mails"></ul>
  <article id="reader" aria-live="polite"></article>
</main>
<script>
  const list = document.getElementById('list');
  const reader = document.getElementById('reader');
  const state = document.getElementById('state');
  const usualState = state.textContent;
  let mails = [];
  let chosen = location.hash.slice(1);
  let asText = false;
  let shown = '';

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const when = (at) => {
    const date = new Date(at);
    const today = date.toDateString() === new Date().toDateString();
    return date.toLocaleString([], today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' });
  };
  const withLinks = (text) => text.split(/(https?:\\/\\/[^\\s<>"]*[^\\s<>".,;:!?)\\]])/).map((part, index) =>
    index % 2 ? make('a', { href: part, target: '_blank', rel: 'noopener noreferrer', textContent: part }) : part);

  function drawList() {
    if (mails.length === 0) {
      list.replaceChildren(make('li', { className: 'empty', textContent: 'No mail yet. This page refreshes itself.' }));
      return;
    }
    list.replaceChildren(...mails.map((mail) => {
      const button = make('button', { type: 'button' },
        make('div', { className: 'row' },
          make('span', { className: 'subject', textContent: mail.subject || '(no subject)' }),
          make('time', { className: 'soft', dateTime: mail.at, textContent: when(mail.at) })),
        make('div', { className: 'soft', textContent: 'to ' + mail.to }));
      button.setAttribute('aria-current', String(mail.id === chosen));
      button.onclick = () => choose(mail.id);
      return make('li', {}, button);
    }));
  }

  function drawMail() {
    const mail = mails.find(({ id }) => id === chosen);
    document.body.classList.toggle('reading', Boolean(mail));
    const key = mail ? mail.id + asText : '';
    if (key === shown && reader.childElementCount) return;
    shown = key;
    if (!mail) {
      reader.replaceChildren(make('p', { className: 'empty', textContent: mails.length ? 'Choose a mail to read it.' : '' }));
      return;
    }
    const head = make('div', {}, make('h2', { textContent: mail.subject || '(no subject)' }),
      make('div', { className: 'soft', textContent: 'from ' + mail.from + ' · to ' + mail.to + ' · ' + new Date(mail.at).toLocaleString() }));
    const parts = [head];
    if (mail.hasHtml && mail.text) {
      const tab = (label, text) => {
        const button = make('button', { type: 'button', textContent: label, onclick: () => { asText = text; drawMail(); } });
        button.setAttribute('aria-pressed', String(asText === text));
        return button;
      };
      parts.push(make('div', { id: 'tabs' }, tab('Mail', false), tab('Plain text', true)));
    }
    if (mail.hasHtml && !(asText && mail.text)) {
      const frame = make('iframe', { title: 'The mail', src: '/mails/' + mail.id + '.html' });
      frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox');
      parts.push(frame);
    } else {
      parts.push(make('pre', {}, ...withLinks(mail.text)));
    }
    reader.replaceChildren(...parts);
  }

  function choose(id) {
    chosen = id;
    history.replaceState(null, '', id ? '#' + id : location.pathname);
    drawList();
    drawMail();
  }

  async function refresh() {
    try {
      const answer = await fetch('/mails', { headers: { Accept: 'application/json' } });
      const next = await answer.json();
      state.textContent = usualState;
      if (next.length === mails.length && next[0]?.id === mails[0]?.id && list.childElementCount) return;
      mails = next;
      drawList();
      drawMail();
    } catch {
      state.textContent = 'The mailbox does not answer; trying again.';
    }
  }

  document.getElementById('back').onclick = () => choose('');
  document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
  setInterval(() => { if (!document.hidden) refresh(); }, 2000);
  refresh();
</script>
</body>
</html>
`;
