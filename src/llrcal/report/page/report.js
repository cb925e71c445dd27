// The page comes to life.

startMethods();
startSorting();
startLogarithms();
startBayesPlot();
startOperatingPoint();
startDetPlot();
startTransformsPlot();
startTippettPlot();
startEcePlot();
startDensitiesPlot();
startLearningPlot();
startZooPlot();
watchTheme();
startCopying();
lookChanged.send();
