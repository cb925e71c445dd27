// Natural or common logarithms of odds and likelihood-ratios, in all plots. Data are in nats.

const isLog10 = () => byId("logarithms").value === "log10";
const inUnits = (nats) => (nats === null || !isLog10() ? nats : nats / Math.LN10);
const llrTitle = () => (isLog10() ? "log₁₀ LR" : "LLR, nats");
const oddsTitle = () => (isLog10() ? "log₁₀ prior odds" : "prior log-odds");
const oddsInWords = (nats, digits = 2) => `${oddsTitle()} ${decimal(inUnits(nats), digits)}`;

// Ticks at common logarithms on an axis of nats.
function oddsTicks(low, high) {
  if (!isLog10()) return {};
  const step = high - low > 12 ? 1 : 0.5;
  const start = Math.ceil(low / Math.LN10 / step);
  const end = Math.floor(high / Math.LN10 / step);
  const values = Array.from({ length: end - start + 1 }, (_, i) => (start + i) * step);
  return {
    tickvals: values.map((value) => value * Math.LN10),
    ticktext: values.map((value) => decimal(value, step < 1 ? 1 : 0)),
  };
}

function startLogarithms() {
  byId("logarithms").addEventListener("change", () => lookChanged.send());
}
