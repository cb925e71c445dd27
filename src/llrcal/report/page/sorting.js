// The table of metrics, sorted by the column whose heading is pressed.

function cellKey(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.value === undefined) return cell.textContent;
  const value = Number(cell.dataset.value.replace("inf", "Infinity"));
  return Number.isNaN(value) ? Infinity : value;
}

function sortMetrics(heading) {
  const table = byId("metrics");
  const column = Number(heading.dataset.column);
  const rising = heading.getAttribute("aria-sort") !== "ascending";
  const rows = [...table.tBodies[0].rows].map((row) => ({ row, key: cellKey(row, column) }));
  rows.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)) * (rising ? 1 : -1));
  table.tBodies[0].append(...rows.map(({ row }) => row));
  table.querySelectorAll("[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
  heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
}

function startSorting() {
  for (const heading of byId("metrics").querySelectorAll("th[data-column]")) {
    const button = element("button", { type: "button" }, ...heading.childNodes);
    button.addEventListener("click", () => sortMetrics(heading));
    heading.append(button);
  }
  // As it was written: by mean Bayes error.
  byId("metrics").querySelector('[data-column="1"]').setAttribute("aria-sort", "ascending");
}
