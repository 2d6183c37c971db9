// Runs in the browser; its value is a list of faults.
(() => {
  const { document, getComputedStyle, Node } = globalThis;
  const root = document.scrollingElement;
  const found = new Set();

  const describe = (element, text) =>
    `<${element.tagName.toLowerCase()} class="${String(element.getAttribute('class') ?? '').slice(0, 80)}"> "${text.slice(0, 60)}"`;
  const ownText = (element) =>
    [...element.childNodes]
      .filter((node) => node.nodeType === Node.TEXT_NODE)
      .map((node) => node.textContent.trim())
      .join(' ')
      .trim();
  const isVisible = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  /** A box of one pixel holds text for screen readers only. */
  const isForScreenReaders = (box, { display }) =>
    display !== 'inline' && (box.clientWidth <= 1 || box.clientHeight <= 1);
  const scrolls = (box, { overflowX }) => ['auto', 'scroll'].includes(overflowX) && box.scrollWidth > box.clientWidth;
  const cuts = (overflow) => overflow === 'hidden' || overflow === 'clip';

  function faultOf(element, text) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const words = range.getBoundingClientRect();
    if (words.width === 0) return undefined;
    for (let box = element; box !== document.body; box = box.parentElement) {
      const style = getComputedStyle(box);
      if (scrolls(box, style) || isForScreenReaders(box, style)) return undefined;
      const edges = box.getBoundingClientRect();
      const sideways = cuts(style.overflowX) && (words.right > edges.right + 1.5 || words.left < edges.left - 1.5);
      const below = cuts(style.overflowY) && words.bottom > edges.bottom + 3;
      if (sideways || below) {
        // Text that ends in an ellipsis is cut on purpose if a title tells it whole.
        const toldWhole = element.closest('[title], [aria-label]') !== null;
        return toldWhole ? undefined : `cut off ${sideways ? 'at the side' : 'below'}: ${describe(element, text)}`;
      }
      if (style.position === 'fixed') return undefined;
    }
    const outside = words.right > root.clientWidth + 1 || words.left < -1;
    return outside ? `outside of the window: ${describe(element, text)}` : undefined;
  }

  if (root.scrollWidth > root.clientWidth) {
    found.add(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
  }
  for (const element of document.body.querySelectorAll('*')) {
    const text = ownText(element);
    const fault = text !== '' && isVisible(element) ? faultOf(element, text) : undefined;
    if (fault !== undefined) found.add(fault);
  }
  return [...found];
})();
