// The map of correlations: read out square by square, by pointer and by arrow keys.
(() => {
  const map = one("svg.map");
  if (!map) return;
  const { size, left } = map.dataset, side = +size, top = 24;
  const values = map.dataset.values.split(","), rows = map.dataset.rows.split(",");
  const names = all("text.row title", map).map(title => title.textContent);
  const marks = new Map(map.dataset.marks.split(";").filter(Boolean).map(told => {
    const [i, j, ...mark] = told.split(",");
    return [`${i},${j}`, mark.join(",")];
  }));
  const cursor = one(".cursor", map), readout = one("#readout");
  let at = [Math.min(1, names.length - 1), 0];

  const read = (i, j) => {
    at = [i, j];
    const k = i * (i + 1) / 2 + j, known = values[k] !== "";
    const shown = known ? (values[k] / 1000).toFixed(2).replace("-", "\u2212")
      : marks.has(`${i},${j}`) ? `kept back, ${marks.get(`${i},${j}`)}` : "not defined";
    const from = Number(rows[rows.length === 1 ? 0 : k]).toLocaleString("en");
    readout.textContent = `${names[j]} and ${names[i]}: ${shown}, from ${from} rows`;
    for (const [key, value] of [["x", j * side], ["y", i * side], ["width", side], ["height", side]]) {
      cursor.setAttribute(key, value);
    }
  };
  map.addEventListener("pointermove", event => {
    const place = map.getBoundingClientRect();
    const j = Math.floor((event.clientX - place.left - left) / side);
    const i = Math.floor((event.clientY - place.top - top) / side);
    if (0 <= j && j <= i && i < names.length && (i !== at[0] || j !== at[1])) read(i, j);
  });
  map.parentElement.addEventListener("keydown", event => {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    const i = Math.min(names.length - 1, Math.max(0, at[0] + move[0]));
    read(i, Math.min(i, Math.max(0, at[1] + move[1])));
    cursor.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
})();
