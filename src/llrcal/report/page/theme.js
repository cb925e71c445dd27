// Colours and sizes of the plots: those of the style sheet, and light on paper.

const root = document.documentElement;
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const byFinger = matchMedia("(pointer: coarse), (max-width: 40rem)");

// Pixels that fit between the margins of A4 and of US Letter: all of a line, and half of one.
const PAPER = { width: 660, half: 322, height: 265 };

const onPaper = () => root.classList.contains("printing");
const isLight = () => !darkSystem.matches || onPaper();
const lineColour = (style) => (isLight() ? style.light : style.dark);
const colour = (name) => getComputedStyle(root).getPropertyValue(`--${name}`).trim();

// Buttons are named one by one: none that sends anything anywhere comes in with a new plotly.
const plotConfig = () => ({
  responsive: true,
  displaylogo: false,
  displayModeBar: byFinger.matches ? false : "hover",
  modeBarButtons: [["toImage", "zoomIn2d", "zoomOut2d", "resetScale2d"]],
});

// What all plots have in common.
function plotLayout(xTitle, yTitle, xaxis, yaxis) {
  const axis = {
    gridcolor: colour("grid"),
    linecolor: colour("quiet"),
    zerolinecolor: colour("rule"),
    automargin: true,
    ticks: "outside",
    tickcolor: colour("quiet"),
  };
  return {
    xaxis: { ...axis, title: { text: xTitle, standoff: 8 }, ...xaxis },
    yaxis: { ...axis, title: { text: yTitle, standoff: 8 }, ...yaxis },
    font: { family: getComputedStyle(document.body).fontFamily, size: onPaper() ? 11 : 13, color: colour("text") },
    paper_bgcolor: colour("surface"),
    plot_bgcolor: colour("surface"),
    margin: { l: 60, r: 14, t: 26, b: 48 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("quiet"), activecolor: colour("accent") },
    showlegend: false, // the selector is the legend of all plots
    // A finger on a plot scrolls the page; a mouse zooms.
    dragmode: byFinger.matches ? false : "zoom",
    uirevision: "keep", // the reader's zoom survives a redraw
  };
}

// Draw or redraw. A reader of the screen gets the plot's label and its buttons, not every tick.
function render(plot, traces, layout) {
  const { width, half, height } = PAPER;
  const size = onPaper() ? { width: plot.closest(".pair") ? half : width, height } : {};
  Plotly.react(plot, traces, { ...layout, ...size }, plotConfig());
  plot.querySelectorAll(".main-svg").forEach((svg) => svg.setAttribute("aria-hidden", "true"));
}

// Drawn now, and again whenever the page looks different.
function startPlot(plot, label, draw) {
  plot.setAttribute("aria-label", label);
  draw();
  lookChanged.then(draw);
}

// Folded parts are opened for paper, and folded again afterwards.
let unfolded = [];

function startPrinting() {
  root.classList.add("printing");
  unfolded = [...document.querySelectorAll("details:not([open])")];
  unfolded.forEach((part) => (part.open = true));
  lookChanged.send();
}

function endPrinting() {
  root.classList.remove("printing");
  unfolded.forEach((part) => (part.open = false));
  unfolded = [];
  lookChanged.send();
}

function watchTheme() {
  darkSystem.addEventListener("change", () => lookChanged.send());
  byFinger.addEventListener("change", () => lookChanged.send());
  addEventListener("beforeprint", startPrinting);
  addEventListener("afterprint", endPrinting);
}
