// The page comes to life.

document.querySelectorAll("fieldset.methods").forEach(fillMethodBoxes);
startSorting();
startLogarithms();
startBayesPlot();
startOperatingPoint();
startTransformsPlot();
startTippettPlot();
startEcePlot();
startDensitiesPlot();
startLearningPlot();
watchTheme();
