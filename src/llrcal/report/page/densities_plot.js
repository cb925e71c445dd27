// Histograms of both classes, and the densities that one generative calibration fitted to them.

const densitiesPlot = byId("densities-plot");
const fittedIndices = page.methods.map((_, i) => i).filter((i) => page.histograms.densities[i]);

function binCentres() {
  const { view, bins } = page.histograms;
  const width = (view[1] - view[0]) / bins;
  return Array.from({ length: bins }, (_, i) => view[0] + (i + 0.5) * width);
}

function bars(heights, name) {
  const marker = { color: colour(name), opacity: 0.5, line: { width: 0 } };
  return { type: "bar", x: binCentres(), y: heights, marker, hoverinfo: "none" };
}

function curve(heights, name, dash) {
  const line = { color: colour(name), width: 2.5, dash };
  return { type: "scatter", mode: "lines", x: page.histograms.grid, y: heights, line, hoverinfo: "x+y" };
}

// From half a score in a bin to above the highest bar, or from zero.
function densityAxis(histogram, fitted) {
  const heights = [histogram.tar, histogram.non].flat();
  const drawn = fitted ? [...heights, ...fitted.tar, ...fitted.non] : heights;
  const top = Math.max(...drawn);
  if (!byId("density-log").checked) return { range: [0, 1.05 * top], type: "linear" };
  const bottom = Math.min(...heights.filter((height) => height > 0)) / 2;
  return { range: [Math.log10(bottom), Math.log10(2 * top)], type: "log", exponentformat: "power", dtick: 1 };
}

function drawDensities() {
  const histogram = page.histograms[byId("density-trials").value];
  const fitted = page.histograms.densities[byId("density-method").value] ?? null;
  const traces = [bars(histogram.non, "non-target"), bars(histogram.tar, "target")];
  if (fitted) traces.push(curve(fitted.non, "non-target", "dash"), curve(fitted.tar, "target", "solid"));
  document.querySelectorAll(".fitted").forEach((key) => (key.hidden = !fitted));
  byId("densities-note").textContent = histogram.outside
    ? `${histogram.outside.toLocaleString("en")} scores lie beyond the picture.`
    : "";
  const axis = { ...densityAxis(histogram, fitted), zeroline: false };
  const layout = {
    ...plotLayout("score", "density", { range: page.histograms.view, zeroline: false }, axis),
    showlegend: false, // it has a key of its own
    barmode: "overlay",
    bargap: 0,
    hovermode: "closest",
    uirevision: `${axis.type} ${byId("density-trials").value}`,
  };
  render(densitiesPlot, traces, layout);
}

function startDensitiesPlot() {
  const select = byId("density-method");
  fittedIndices.forEach((i) => select.append(new Option(page.methods[i].label, i)));
  select.append(new Option("no calibration", ""));
  const last = fittedIndices.at(-1) ?? "";
  select.value = fittedIndices.includes(page.recommended) ? page.recommended : last;
  startPlot(
    densitiesPlot,
    "Histograms of target and non-target scores, with the densities fitted to them. Targets lie to the " +
      "right of non-targets where the recognizer is right.",
    drawDensities,
  );
  [select, byId("density-trials"), byId("density-log")].forEach((control) =>
    control.addEventListener("change", drawDensities),
  );
}
