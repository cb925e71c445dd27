// The page comes to life.

document.querySelectorAll("fieldset.methods").forEach(fillMethodBoxes);
startSorting();
startBayesPlot();
startOperatingPoint();
startTransformsPlot();
startDensitiesPlot();
startLearningPlot();
watchTheme();
