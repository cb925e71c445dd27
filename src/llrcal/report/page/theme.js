// Colours and sizes of the plots: those of the style sheet, and light on paper.

const root = document.documentElement;
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const byFinger = matchMedia("(pointer: coarse), (max-width: 40rem)");
const themeChanged = signal();

const PAPER_WIDTH = 660; // pixels that fit between the margins of A4 and of US Letter

const isLight = () => !darkSystem.matches || root.classList.contains("printing");
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
    font: { family: getComputedStyle(document.body).fontFamily, size: 13, color: colour("text") },
    paper_bgcolor: colour("surface"),
    plot_bgcolor: colour("surface"),
    margin: { l: 60, r: 14, t: 26, b: 48 },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("quiet"), activecolor: colour("accent") },
    showlegend: false,
    // A finger on a plot scrolls the page; a mouse zooms.
    dragmode: byFinger.matches ? false : "zoom",
    uirevision: "keep", // the reader's zoom survives a redraw
    ...(root.classList.contains("printing") ? { width: PAPER_WIDTH, height: 380 } : {}),
  };
}

// Draw or redraw. A reader of the screen gets the plot's label and its buttons, not every tick.
function render(plot, traces, layout) {
  Plotly.react(plot, traces, layout, plotConfig());
  plot.querySelectorAll(".main-svg").forEach((svg) => svg.setAttribute("aria-hidden", "true"));
}

// Folded parts are opened for paper, and folded again afterwards.
let unfolded = [];

function startPrinting() {
  root.classList.add("printing");
  unfolded = [...document.querySelectorAll("details:not([open])")];
  unfolded.forEach((part) => (part.open = true));
  themeChanged.send();
}

function endPrinting() {
  root.classList.remove("printing");
  unfolded.forEach((part) => (part.open = false));
  unfolded = [];
  themeChanged.send();
}

function watchTheme() {
  darkSystem.addEventListener("change", () => themeChanged.send());
  byFinger.addEventListener("change", () => themeChanged.send());
  addEventListener("beforeprint", startPrinting);
  addEventListener("afterprint", endPrinting);
}
