// A mouse over the Bayes plot previews an operating point; a click or a tap chooses it.
//
// Plotly's own events would lose clicks: while a button is down, a cover lies over the plot, and the
// point below it is forgotten.

const STILL = 5; // pixels that a click may move without being a drag, which zooms

// The sample below the pointer; null beside the axes, and on the plot's buttons.
function positionUnder(event) {
  if (event.target.closest(".modebar")) return null;
  const box = bayesPlot.getBoundingClientRect();
  const { margin, xaxis } = bayesPlot.layout;
  const [low, high] = xaxis.range;
  const share = (event.clientX - box.left - margin.l) / (box.width - margin.l - margin.r);
  return share < 0 || share > 1 ? null : nearestOnGrid(low + share * (high - low));
}

function followPointer(show) {
  let pressed = null;
  const back = () => {
    endPreview();
    show(operatingPoint.position, operatingPoint.wanted);
  };
  bayesPlot.addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return; // a finger scrolls
    const position = positionUnder(event);
    if (position === null) back();
    else {
      previewControls(position);
      show(position);
    }
  });
  bayesPlot.addEventListener("pointerleave", back);
  bayesPlot.addEventListener("pointerdown", (event) => {
    pressed = { position: positionUnder(event), x: event.clientX, y: event.clientY };
  });
  // Wherever the pointer comes up: the cover may have it.
  addEventListener("pointerup", (event) => {
    if (pressed === null) return;
    const { position, x, y } = pressed;
    pressed = null;
    const still = Math.hypot(event.clientX - x, event.clientY - y) <= STILL;
    if (position !== null && still) choosePosition(position);
  });
  addEventListener("pointercancel", () => (pressed = null));
}
