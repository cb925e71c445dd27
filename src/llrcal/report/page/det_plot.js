// Detection error trade-off on probit axes, with the decisions of each calibration at the operating point.

const detPlot = byId("det-plot");
const { curves: detCurves, probits, rates: probitRates, view: detView, ticks: detTicks } = page.det;

// The probit of a rate, from a table of them.
function probit(rate) {
  const above = probitRates.findIndex((known) => known >= rate);
  if (above <= 0) return above === 0 ? probits[0] : probits.at(-1);
  const share = (rate - probitRates[above - 1]) / (probitRates[above] - probitRates[above - 1]);
  return probits[above - 1] + share * (probits[above] - probits[above - 1]);
}

const isBeyond = (rate) => probit(rate) < detView[0] || probit(rate) > detView[1];

const bothRates = (pfa, pmiss) => `misses ${percent(pmiss)}, false alarms ${percent(pfa)}`;

function detTraces() {
  const { position } = operatingPoint;
  const lines = detCurves.map(({ method, pfa, pmiss }) => {
    const own = method === null ? null : methodTrace(page.methods[method], method);
    return {
      ...{ type: "scatter", visible: true, name: "these scores", line: { color: colour("quiet"), width: 2 } },
      ...own,
      ...{ mode: "lines", x: pfa.map(probit), y: pmiss.map(probit), hoverinfo: "text+name" },
      text: pfa.map((rate, i) => bothRates(rate, pmiss[i])),
    };
  });
  // Rates beyond the frame go to its edge, and are hollow.
  const within = (rate) => Math.min(Math.max(probit(rate), detView[0]), detView[1]);
  const points = page.methods.map((method, i) => {
    const trace = methodTrace(method, i);
    const [pfa, pmiss] = [method.pfa[position], method.pmiss[position]];
    return {
      ...{ ...trace, mode: "markers", x: [within(pfa)], y: [within(pmiss)], cliponaxis: false },
      ...{ text: [bothRates(pfa, pmiss)], hoverinfo: "text+name" },
      marker: isBeyond(pfa) || isBeyond(pmiss)
        ? { ...trace.marker, symbol: `${method.style.symbol}-open`, size: 12, line: { width: 2 } }
        : { ...trace.marker, size: 12, line: { color: colour("surface"), width: 1.5 } },
    };
  });
  return [...lines, ...points];
}

function drawDet() {
  const axis = { range: detView, zeroline: false, tickangle: 0, tickvals: detTicks.map(probit) };
  axis.ticktext = detTicks.map((rate) => `${Number((100 * rate).toPrecision(3))}`);
  const layout = { ...plotLayout("false-alarm rate, %", "miss rate, %", axis, axis), hovermode: "closest" };
  const equal = { color: colour("rule"), width: 1 };
  layout.shapes = [{ type: "line", x0: detView[0], y0: detView[0], x1: detView[1], y1: detView[1], line: equal }];
  render(detPlot, detTraces(), layout);
}

function startDetPlot() {
  startPlot(
    detPlot,
    "Miss rate against false-alarm rate at every threshold. Points: Bayes decisions at the operating point, " +
      "whose rates are in the table before.",
    drawDet,
  );
  pointChanged.then(drawDet);
}
