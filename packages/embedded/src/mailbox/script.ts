/** Fetches the list of mails and shows them. Its words are in the page. */
export const mailboxScript = `
  const { language, words } = JSON.parse(document.getElementById('words').textContent);
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
    return date.toLocaleString(language, today ? { timeStyle: 'short' } : { dateStyle: 'medium', timeStyle: 'short' });
  };
  const withLinks = (text) => text.split(/(https?:\\/\\/[^\\s<>"]*[^\\s<>".,;:!?)\\]])/).map((part, index) =>
    index % 2 ? make('a', { href: part, target: '_blank', rel: 'noopener noreferrer', textContent: part }) : part);

  function drawList() {
    if (mails.length === 0) {
      list.replaceChildren(make('li', { className: 'empty', textContent: words.none }));
      return;
    }
    list.replaceChildren(...mails.map((mail) => {
      const button = make('button', { type: 'button' },
        make('div', { className: 'row' },
          make('span', { className: 'subject', textContent: mail.subject || words.noSubject }),
          make('time', { className: 'soft', dateTime: mail.at, textContent: when(mail.at) })),
        make('div', { className: 'soft', textContent: words.to + ' ' + mail.to }));
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
      reader.replaceChildren(make('p', { className: 'empty', textContent: mails.length ? words.choose : '' }));
      return;
    }
    const head = make('div', {}, make('h2', { textContent: mail.subject || words.noSubject }),
      make('div', { className: 'soft', textContent: words.from + ' ' + mail.from + ' · ' + words.to + ' ' + mail.to + ' · ' + new Date(mail.at).toLocaleString(language) }));
    const parts = [head];
    if (mail.hasHtml && mail.text) {
      const tab = (label, text) => {
        const button = make('button', { type: 'button', textContent: label, onclick: () => { asText = text; drawMail(); } });
        button.setAttribute('aria-pressed', String(asText === text));
        return button;
      };
      parts.push(make('div', { id: 'tabs' }, tab(words.mail, false), tab(words.text, true)));
    }
    if (mail.hasHtml && !(asText && mail.text)) {
      const frame = make('iframe', { title: words.mail, src: '/mails/' + mail.id + '.html' });
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
      state.textContent = words.away;
    }
  }

  document.getElementById('back').onclick = () => choose('');
  document.addEventListener('visibilitychange', () => { if (!document.hidden) refresh(); });
  setInterval(() => { if (!document.hidden) refresh(); }, 2000);
  refresh();
`;
