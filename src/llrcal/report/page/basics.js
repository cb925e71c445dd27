// Data of the page, small tools, and who wants to know of changes.

const page = JSON.parse(document.getElementById("data-json").textContent);

const byId = (id) => document.getElementById(id);

// An element with properties; strings become text, never markup.
function element(tag, properties = {}, ...children) {
  const node = Object.assign(document.createElement(tag), properties);
  node.append(...children);
  return node;
}

// A list of callbacks, and a way to call them all.
function signal() {
  const listeners = [];
  return {
    then: (listener) => listeners.push(listener),
    send: (...news) => listeners.forEach((listener) => listener(...news)),
  };
}

// Whatever plots are drawn again for: the calibrations shown, logarithms, colours, paper.
const lookChanged = signal();

// Numbers as text.py writes them. JSON has no infinity: null stands for it.
function decimal(value, digits = 4) {
  if (value === null) return "∞";
  const text = Math.abs(value) >= 1e5 ? value.toExponential(3) : value.toFixed(digits);
  return (Number(text) === 0 ? text.replace("-", "") : text).replaceAll("-", "−");
}

// A rate, with enough digits to tell it from zero.
function percent(rate) {
  const value = 100 * rate;
  return `${value === 0 || value >= 0.01 ? value.toFixed(2) : value.toPrecision(1)} %`;
}

// A name as text of a plot: plotly would take some markup for its own.
const plotText = (name) =>
  name.replace(/[&<>]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[sign]);

// A name of unknown origin as an element: its direction of writing stays its own.
const nameText = (name) => element("bdi", {}, name);
