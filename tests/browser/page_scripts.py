"""What is asked of a page in the browser."""

from __future__ import annotations

FIRST_VIEW = """new Promise(done => new PerformanceObserver(list => {
  const first = list.getEntriesByName("first-contentful-paint")[0];
  if (first) done(first.startTime);
}).observe({ type: "paint", buffered: true }))"""

SHOWN = "[...document.querySelectorAll('.card:not(.out) h3')].map(each => each.textContent)"

FOCUSED = "document.activeElement.id"

OUTLINE = "getComputedStyle(document.activeElement).outlineStyle"

# The contrast of every text with what is behind it, where WCAG asks for more: 4.5, and 3 for large text.
POOR_CONTRAST = """(() => {
  const paper = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const read = new Map();
  const rgba = color => {
    if (!read.has(color)) {
      paper.clearRect(0, 0, 1, 1);
      paper.fillStyle = color;
      paper.fillRect(0, 0, 1, 1);
      read.set(color, [...paper.getImageData(0, 0, 1, 1).data]);
    }
    return read.get(color);
  };
  const over = (front, back) => back.map((c, k) => (front[k] * front[3] + c * (255 - front[3])) / 255);
  const behind = element => {
    if (!element) return [255, 255, 255];
    const color = rgba(getComputedStyle(element).backgroundColor);
    return color[3] === 255 ? color.slice(0, 3) : over(color, behind(element.parentElement));
  };
  const light = color => color.slice(0, 3)
    .map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0);
  const contrast = (a, b) => {
    const [low, high] = [light(a), light(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const poor = [];
  const note = (what, color, back, least) => {
    const found = contrast(over(rgba(color), back), back);
    if (found < least) poor.push([what, Math.round(100 * found) / 100]);
  };
  for (const element of document.querySelectorAll("body *:not(script):not(style)")) {
    const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!own || element.closest("svg") || !element.checkVisibility()) continue;
    const style = getComputedStyle(element), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && style.fontWeight >= 700);
    note(`${element.tagName}.${element.className}: ${element.textContent.slice(0, 30)}`,
      style.color, behind(element), large ? 3 : 4.5);
  }
  for (const path of document.querySelectorAll(".map path.s")) {
    const level = Number(path.classList[1].slice(1));
    const kind = level >= 8 ? ".strong" : level >= 6 ? ".middle" : "text:not([class])";
    const text = document.querySelector(`.map .inside ${kind}`);
    if (!text) continue;
    note(path.classList.value, getComputedStyle(text).fill, rgba(getComputedStyle(path).fill).slice(0, 3), 4.5);
  }
  return poor;
})()"""
