// All calibrations read off at one position: the operating point, or where the mouse is.

const readoutRows = page.methods.map((method) => {
  const cells = Array.from({ length: 4 }, () => element("td"));
  const named = element("span", { className: "named" }, swatch(method.style), nameText(method.label));
  const head = element("th", { scope: "row" }, named);
  byId("readout").tBodies[0].append(element("tr", {}, head, ...cells));
  return cells;
});
lookChanged.then(() =>
  shownMethods.forEach((shown, i) => (byId("readout").tBodies[0].rows[i].hidden = !shown)),
);

const isFew = (x) => page.ruleOf30 === null || x < page.ruleOf30[0] || x > page.ruleOf30[1];

// Where the numbers are taken, in words.
function placeInWords(position, wanted) {
  const x = priorLogOdds(position);
  if (position >= count) return `${page.points[position - count].name}, ${oddsInWords(x, 4)}`;
  const place = oddsInWords(x);
  if (wanted === null || Math.abs(wanted - x) < 1e-9) return place;
  const end = wanted < priorLogOdds(0) || wanted > priorLogOdds(count - 1);
  return `${place}, the ${end ? "end of the plot nearest" : "sample nearest"} to ${decimal(inUnits(wanted))}`;
}

function readOff(position, wanted = null) {
  const errors = page.methods.map((method) => method.actual[position] ?? Infinity);
  const least = Math.min(...errors);
  page.methods.forEach((method, i) => {
    const [actual, minimum, misses, falseAlarms] = readoutRows[i];
    const best = errors[i] === least;
    actual.replaceChildren(decimal(method.actual[position]));
    if (best) actual.append(bestMark());
    minimum.textContent = decimal(method.minimum[position]);
    misses.textContent = percent(method.pmiss[position]);
    falseAlarms.textContent = percent(method.pfa[position]);
  });
  const winners = page.methods.filter((_, i) => errors[i] === least).map((method) => method.label);
  byId("readout-words").textContent = sentenceAt(position, wanted, winners, least);
}

function sentenceAt(position, wanted, winners, least) {
  const x = priorLogOdds(position);
  const many = winners.length > 1 ? ` and ${winners.length - 1} more` : "";
  const few = isFew(x) ? " Fewer than 30 errors of a kind carry these numbers." : "";
  return (
    `At ${placeInWords(position, wanted)}: least actual error ${decimal(least)} ` +
    `(${winners[0]}${many}); minimum for these scores ${decimal(page.minimum[position])}.${few}`
  );
}

function bestMark() {
  const mark = element("span", { className: "star" }, "★");
  mark.setAttribute("aria-hidden", "true");
  const mention = element("span", { className: "hidden" }, " (best)");
  const both = document.createDocumentFragment();
  both.append(mark, mention);
  return both;
}
