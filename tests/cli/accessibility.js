// The rules a page must keep, asked of a real browser's layout. What does not hold is listed, as JSON, in an element
// with the id "findings" at the end of the page. After WCAG 2.2, AA.
'use strict';
const findings = [];
const require = (holds, what) => { if (!holds) findings.push(what); };
const all = (selector) => Array.from(document.querySelectorAll(selector));
const shown = (element) => (element.textContent || '').trim().slice(0, 40);

// 3.1.1, 2.4.2, 1.4.4
require(document.documentElement.lang === 'en', 'the page has no language');
require(document.title.trim() !== '', 'the page has no title');
const viewport = document.querySelector('meta[name=viewport]');
require(viewport && !/user-scalable=no|maximum-scale/.test(viewport.content), 'the page cannot be zoomed on a phone');

// 1.3.1, 2.4.6: headings and landmarks
const levels = all('h1, h2, h3, h4, h5, h6').map((h) => Number(h.tagName[1]));
require(levels.filter((level) => level === 1).length === 1 && levels[0] === 1, 'there is not one h1, first');
levels.forEach((level, k) => require(k === 0 || level <= levels[k - 1] + 1, `heading ${k + 1} skips a level`));
for (const landmark of ['header', 'main', 'footer', 'nav'])
  require(all(landmark).length === 1, `there is not one ${landmark}`);
all('nav, section').forEach((part) => require(part.ariaLabel || part.getAttribute('aria-labelledby'),
                                              `a ${part.tagName} has no name`));

// 1.3.1: tables
for (const table of all('table')) {
  require(table.caption && shown(table.caption) !== '', 'a table has no caption');
  const heads = Array.from(table.tHead ? table.tHead.rows[0].cells : []);
  require(heads.length > 0, 'a table has no header row');
  heads.forEach((cell) => require(cell.tagName === 'TH' && cell.scope === 'col' && shown(cell) !== '',
                                  `a column of "${shown(table.caption)}" has no header`));
  for (const row of table.tBodies[0].rows) {
    require(row.cells[0].tagName === 'TH' && row.cells[0].scope === 'row', `a row of "${shown(table.caption)}" has no header`);
    require(row.cells.length === heads.length, `a row of "${shown(table.caption)}" has too few or too many cells`);
  }
}

// 1.1.1: pictures
all('svg').forEach((svg) => require(svg.getAttribute('role') === 'img' && svg.querySelector('title') && svg.querySelector('desc'),
                                    'a plot has no text alternative'));
all('img').forEach((img) => require(img.alt, 'a picture has no text alternative'));

// 4.1.2: names and ids
const ids = all('[id]').map((element) => element.id);
require(new Set(ids).size === ids.length, 'an id is used twice');
all('[aria-labelledby]').forEach((element) => require(document.getElementById(element.getAttribute('aria-labelledby')),
                                                      'a label is missing'));

// 2.1.1, 2.4.1, 2.4.3, 2.5.8: keyboard and touch
all('[tabindex]').forEach((element) => require(element.tabIndex <= 0, 'the order of focus is changed'));
const links = all('a');
require(links.length > 0 && links[0].classList.contains('skip'), 'the first link does not skip to the content');
for (const link of links) {
  require(shown(link) !== '', 'a link has no text');
  const target = document.getElementById((link.getAttribute('href') || '').slice(1));
  require(target, `the link "${shown(link)}" leads nowhere`);
  link.focus();
  require(document.activeElement === link, `the link "${shown(link)}" cannot be reached by keyboard`);
  require(link.getBoundingClientRect().height >= 24, `the link "${shown(link)}" is too small to touch`);
}
for (const element of all('body *')) {
  const scrolls = ['auto', 'scroll'].includes(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth;
  if (scrolls) require(element.tabIndex === 0 && element.getAttribute('role') === 'region' && element.ariaLabel,
                       'a part that scrolls cannot be scrolled by keyboard, or has no name');
}

// 1.4.3, 1.4.10: contrast, and no sideways scrolling of the page
const channel = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const parsed = (colour) => (colour.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const background = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = parsed(getComputedStyle(at).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let seen = 0;
for (let node = texts.nextNode(); node; node = texts.nextNode()) {
  const element = node.parentElement;
  if (node.data.trim() === '' || ['SCRIPT', 'STYLE', 'title', 'desc'].includes(element.tagName)) continue;
  const style = getComputedStyle(element);
  const inside = element.closest('svg');
  const front = luminance(parsed(inside ? style.fill : style.color)), back = luminance(background(element));
  const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
  require(ratio >= 4.5, `"${node.data.trim().slice(0, 40)}" has a contrast of ${ratio.toFixed(2)}`);
  const scale = inside ? inside.getScreenCTM().a : 1;  // a plot is drawn smaller on a small screen
  require(parseFloat(style.fontSize) * scale >= (inside ? 9 : 12), `"${node.data.trim().slice(0, 40)}" is too small to read`);
  ++seen;
}
require(seen > 30, 'hardly any text is shown');
const root = document.documentElement;
require(root.scrollWidth <= root.clientWidth, `the page is ${root.scrollWidth} wide on a screen of ${root.clientWidth}`);

// What stands below each other on a phone needs no sideways scrolling there
all('.stacks').forEach((table) => require(table.parentElement.scrollWidth <= table.parentElement.clientWidth,
                                          `"${shown(table.caption)}" scrolls sideways`));

// Self-contained
require(performance.getEntriesByType('resource').length === 0, 'the page loads something');
require(all('script').length === 1, 'the page has a script');  // this one

const list = document.createElement('pre');
list.id = 'findings';
list.textContent = JSON.stringify({width: root.clientWidth, findings});
document.body.append(list);
