// The operating point: one of the sampled positions, chosen by slider, by numbers, or by name.

const { first, count, perUnit } = page.positions;

// Position `i` of all: the grid, then the named points.
const priorLogOdds = (i) => (i < count ? (first + i) / perUnit : page.points[i - count].x);

const operatingPoint = { position: 0, wanted: null };
const pointChanged = signal();

const numberInputs = { pTarget: byId("p-target"), cMiss: byId("c-miss"), cFa: byId("c-fa") };

const nearestOnGrid = (x) =>
  Math.min(count - 1, Math.max(0, Math.round(x * perUnit) - first));

// The named point at x, if there is one, and else the nearest sample.
function positionAt(x) {
  const named = page.points.findIndex((point) => Math.abs(point.x - x) < 1e-9);
  return named >= 0 ? count + named : nearestOnGrid(x);
}

function markControls(position) {
  const x = priorLogOdds(position);
  const slider = byId("slider");
  slider.value = nearestOnGrid(x);
  slider.setAttribute("aria-valuetext", oddsInWords(x));
  [...byId("named-points").children].forEach((button, i) =>
    button.setAttribute("aria-pressed", String(position === count + i)),
  );
}

// `wanted` is the x that was asked for, where it may differ from the sample's.
function setPoint(position, wanted = null) {
  Object.assign(operatingPoint, { position, wanted });
  markControls(position);
  pointChanged.send(position, wanted);
}

// While a pointer previews another point, the controls show that; the prior entered is kept.
let enteredPrior = null;

function previewControls(position) {
  enteredPrior ??= numberInputs.pTarget.value;
  numberInputs.pTarget.value = priorAt(priorLogOdds(position));
  markControls(position);
}

function endPreview() {
  if (enteredPrior !== null) numberInputs.pTarget.value = enteredPrior;
  enteredPrior = null;
  markControls(operatingPoint.position);
}

function complain(input, problem) {
  Object.values(numberInputs).forEach((other) => other.removeAttribute("aria-invalid"));
  if (input) input.setAttribute("aria-invalid", "true");
  byId("point-problem").textContent = problem;
}

// The prior at which the costs that are entered give prior log-odds x.
function priorAt(x) {
  const costs = Math.log(numberInputs.cMiss.valueAsNumber / numberInputs.cFa.valueAsNumber);
  const logit = x - (Number.isFinite(costs) ? costs : 0);
  const rarer = Number((1 / (1 + Math.exp(Math.abs(logit)))).toPrecision(4));
  return logit < 0 ? rarer : Number((1 - rarer).toPrecision(15));
}

function readNumbers() {
  const { pTarget, cMiss, cFa } = numberInputs;
  const p = pTarget.valueAsNumber;
  if (!(p > 0 && p < 1)) return complain(pTarget, "The prior must lie between 0 and 1.");
  for (const cost of [cMiss, cFa]) {
    if (!(cost.valueAsNumber > 0)) return complain(cost, "A cost must be a positive number.");
  }
  complain(null, "");
  enteredPrior = null;
  const x = Math.log(p) - Math.log1p(-p) + Math.log(cMiss.valueAsNumber) - Math.log(cFa.valueAsNumber);
  setPoint(positionAt(x), x);
}

function choosePosition(position) {
  complain(null, "");
  enteredPrior = null;
  if (position < count) {
    numberInputs.pTarget.value = priorAt(priorLogOdds(position));
  } else {
    const point = page.points[position - count];
    Object.entries(numberInputs).forEach(([name, input]) => (input.value = point[name]));
  }
  setPoint(position);
}

function startOperatingPoint() {
  const slider = byId("slider");
  slider.max = count - 1;
  slider.addEventListener("input", () => choosePosition(Number(slider.value)));
  Object.values(numberInputs).forEach((input) => input.addEventListener("input", readNumbers));
  page.points.forEach((point, i) => {
    const button = element("button", { type: "button" }, point.name);
    button.addEventListener("click", () => choosePosition(count + i));
    byId("named-points").append(button);
  });
  numberInputs.cMiss.value = numberInputs.cFa.value = 1;
  const middle = Math.floor((page.points.length - 1) / 2);
  choosePosition(page.points.length ? count + middle : nearestOnGrid(0));
}
