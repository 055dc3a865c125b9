/** The server's picture as elements of the page. */

const SVG = 'http://www.w3.org/2000/svg';
const ELEMENTS = new Set(['svg', 'g', 'title', 'desc', 'text', 'tspan', 'path', 'circle', 'rect', 'line', 'polygon', 'ellipse']);
const ATTRIBUTES = new Set([
  'class', 'role', 'viewBox', 'width', 'height', 'transform', 'x', 'y', 'x1', 'y1', 'x2', 'y2', 'cx', 'cy', 'r', 'rx', 'ry', 'd', 'dx', 'dy',
  'points', 'text-anchor', 'data-state', 'data-from', 'data-to',
]);

/** A copy that has only what pictures of automata need: no script, no style, no link can come with it. */
function copy(element: Element): SVGElement | undefined {
  if (element.namespaceURI !== SVG || !ELEMENTS.has(element.localName)) return undefined;
  const out = document.createElementNS(SVG, element.localName);
  for (const { name, value } of element.attributes) if (ATTRIBUTES.has(name)) out.setAttribute(name, value);
  for (const child of element.childNodes) {
    if (child.nodeType === Node.TEXT_NODE) out.append(child.textContent ?? '');
    else if (child instanceof Element) {
      const inner = copy(child);
      if (inner !== undefined) out.append(inner);
    }
  }
  return out;
}

/** The head of the picture names the contract, as the panel does: it is cut off. */
const HEAD = 44;

function crop(svg: SVGElement): void {
  const [x, y, width, height] = (svg.getAttribute('viewBox') ?? '').split(' ').map(Number);
  const title = svg.querySelector('.title');
  if (title === null || x === undefined || y === undefined || width === undefined || height === undefined || !(height > 2 * HEAD)) return;
  title.remove();
  svg.setAttribute('viewBox', `${x} ${y + HEAD} ${width} ${height - HEAD}`);
  svg.setAttribute('height', String(height - HEAD));
}

/** The picture, or `undefined` where the text is no SVG. */
export function picture(text: string): SVGElement | undefined {
  // The picture brings colours for pages of its own; a parsed style sheet would be refused, and that be logged.
  const bare = text.replace(/<style>[^<]*<\/style>/g, '');
  const parsed = new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement;
  const out = parsed.localName === 'svg' ? copy(parsed) : undefined;
  if (out !== undefined) crop(out);
  return out;
}
