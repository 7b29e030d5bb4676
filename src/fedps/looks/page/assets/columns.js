// Cards: chosen by name and kind, sorted, found from a link, and read out bar by bar.
(() => {
  const form = one(".filter");
  if (!form) return;
  const cards = all(".card").map((card, place) => ({
    card, place, name: one("h3", card).textContent, kind: card.dataset.kind,
    missing: +card.dataset.missing, difference: +card.dataset.difference, unique: +card.dataset.unique,
  }));
  const home = one(".cards"), name = one("#by-name"), kind = one("#by-kind"), order = one("#order");
  const letters = new Intl.Collator(undefined, { numeric: true });
  const count = n => n.toLocaleString("en");

  const choose = () => {
    const wanted = name.value.trim().toLowerCase();
    let shown = 0;
    for (const each of cards) {
      const fits = each.name.toLowerCase().includes(wanted) && (!kind.value || each.kind === kind.value);
      each.card.classList.toggle("out", !fits);
      shown += fits;
    }
    const columns = cards.length === 1 ? "column" : "columns";
    one("#shown").textContent = `${count(shown)} of ${count(cards.length)} ${columns}`;
  };
  const sort = () => {
    const by = order.value;
    const sorted = [...cards].sort((a, b) =>
      (by === "table" ? 0 : by === "name" ? letters.compare(a.name, b.name) : b[by] - a[by])
      || a.place - b.place);
    home.append(...sorted.map(each => each.card));
  };
  name.addEventListener("input", choose);
  kind.addEventListener("change", choose);
  order.addEventListener("change", sort);
  form.addEventListener("submit", event => event.preventDefault());
  form.addEventListener("keydown", event => {
    if (event.key === "Escape" && event.target === name) { name.value = ""; choose(); }
  });
  choose(); // a browser that goes back keeps what was typed
  sort();

  document.addEventListener("click", event => {
    const link = event.target.closest("a[href^='#c']");
    if (!link) return;
    event.preventDefault();
    show("columns");
    name.value = kind.value = "";
    choose();
    const card = document.getElementById(link.getAttribute("href").slice(1));
    card.scrollIntoView({ block: "center" });
    card.focus({ preventScroll: true });
  });

  const numbers = list => list.split(",").map(Number);
  const say = (value, dates) => dates
    ? new Date(1000 * value).toISOString().slice(0, 10)
    : value.toLocaleString("en", { maximumSignificantDigits: 4 });
  const read = event => {
    const drawing = event.target.closest("svg.histogram");
    if (!drawing) return;
    const counts = numbers(drawing.dataset.counts), told = numbers(drawing.dataset.edges);
    const place = drawing.getBoundingClientRect(), [low, high] = [told[0], told[told.length - 1]];
    const edges = told.length > 2 ? told
      : counts.map((_, k) => low + (high - low) * k / counts.length).concat(high);
    const at = low + (high - low) * (event.clientX - place.left) / place.width;
    const k = Math.min(counts.length - 1, Math.max(0, edges.findIndex(edge => edge > at) - 1));
    const dates = "dates" in drawing.dataset;
    one("output", drawing.parentElement).textContent =
      `${say(edges[k], dates)} to ${say(edges[k + 1], dates)}: ${count(Math.round(counts[k]))}`;
  };
  home.addEventListener("pointermove", read);
  home.addEventListener("pointerout", event => {
    const drawing = event.target.closest("svg.histogram");
    if (drawing && !drawing.contains(event.relatedTarget)) one("output", drawing.parentElement).textContent = "";
  });
})();
