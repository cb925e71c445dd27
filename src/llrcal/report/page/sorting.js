// The table of metrics, sorted by the column whose heading is pressed.

function cellKey(row, column) {
  const text = row.cells[column].firstChild.textContent; // without its interval
  if (column === 0) return text;
  const value = parseFloat(text.replace("\u2212", "-").replace("\u221e", "Infinity"));
  return Number.isNaN(value) ? Infinity : value;
}

function sortMetrics(heading) {
  const table = byId("metrics");
  const column = heading.cellIndex;
  const rising = heading.getAttribute("aria-sort") !== "ascending";
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: cellKey(row, column) }));
  rows.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)) * (rising ? 1 : -1));
  table.tBodies[0].append(...rows.map(({ row }) => row));
  table.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
}

function startSorting() {
  for (const heading of byId("metrics").querySelectorAll("thead th")) {
    const button = element("button", { type: "button" }, ...heading.childNodes);
    button.addEventListener("click", () => sortMetrics(heading));
    heading.append(button);
  }
  // As it was written: by mean Bayes error.
  byId("metrics").querySelector("thead th:nth-child(2)").setAttribute("aria-sort", "ascending");
}
