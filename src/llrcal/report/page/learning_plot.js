// Errors against the number of training targets, where there are such: medians, and bands of draws.

const learningPlot = byId("learning-plot");
const FEW_BANDS = 3; // that can be told apart

function drawLearning() {
  const { targets, banded, metrics } = page.learning;
  const { name, minimum, view, lines } = metrics[byId("learning-metric").value];
  const shown = lines.filter((line, i) => line && shownMethods[i]).length;
  const bands = [];
  const medians = [];
  page.methods.forEach((method, i) => {
    if (!lines[i]) return;
    const trace = methodTrace(method, i);
    if (shownMethods[i] && (banded[i] || shown <= FEW_BANDS)) {
      const line = { width: 0 };
      const edge = { type: "scatter", mode: "lines", x: targets, line, hoverinfo: "skip", showlegend: false };
      const fillcolor = `${trace.line.color}2e`; // the rest is transparency
      bands.push({ ...edge, y: lines[i].low }, { ...edge, y: lines[i].high, fill: "tonexty", fillcolor });
    }
    medians.push({ ...trace, x: targets, y: lines[i].median });
  });
  const ends = [targets[0] / 1.15, targets.at(-1) * 1.15];
  const least = minimumTrace(ends, [minimum, minimum], "minimum");
  const layout = {
    ...plotLayout(
      "training targets",
      name,
      { type: "log", range: ends.map(Math.log10), dtick: "D2", tickformat: "~s", zeroline: false },
      { range: view, zeroline: false },
    ),
    hovermode: "closest",
    uirevision: name,
  };
  render(learningPlot, [...bands, ...medians, least], layout);
}

function startLearningPlot() {
  if (!page.learning) return;
  const { targets } = page.learning;
  startPlot(
    learningPlot,
    `Errors of ${page.methods.length} calibrations against the number of training targets, from ` +
      `${targets[0].toLocaleString("en")} to ${targets.at(-1).toLocaleString("en")}. The table that ` +
      "follows gives the numbers.",
    drawLearning,
  );
  byId("learning-note").textContent =
    "Bands: of all calibrations if no more than three are shown, or else of those that are best with the " +
    "fewest and with all targets. What is far above the errors with all targets leaves the frame.";
  byId("learning-metric").addEventListener("change", drawLearning);
}
