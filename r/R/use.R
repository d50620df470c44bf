#' What the model says of new records: the predictions, or with type = "all" the probabilities or scores beside them.
predict.tacit <- function(object, newdata, type = c("response", "all"), ...) {
  type <- match.arg(type)
  path <- tempfile("tacit_", fileext = ".csv")
  on.exit(unlink(path))
  with_model(object, function(model)
    with_table(newdata, function(table) tacit_command(c("predict", model, table, "--output", path, flags(list(...)))), model_schema(object)))
  table <- utils::read.csv(path, check.names = FALSE, na.strings = character(), colClasses = c(prediction = "character"))
  classes <- jsonlite::fromJSON(object$file)$target$classes
  table$prediction <- if (length(classes) == 0) as.numeric(table$prediction) else factor(table$prediction, levels = classes)
  if (type == "all") table else table$prediction
}

#' How good a model is on labelled records. Private only with `epsilon`.
tacit_evaluate <- function(model, data, epsilon = NULL, delta = NULL, ...)
  with_model(model, function(path)
    with_table(data, function(table)
      asked(c("evaluate", path, table, flags(list(epsilon = epsilon, delta = delta, ...)))), model_schema(path)))

#' A schema that was found privately, written to `output`; its path is returned, for `schema =`. What it leaves out, and
#' what to look at, is a message.
tacit_schema <- function(data, epsilon, delta = NULL, target = NULL, output = tempfile("schema_", fileext = ".json"), ...) {
  told <- with_table(data, function(table)
    tacit_command(c("schema", table, flags(list(epsilon = epsilon, delta = delta, target = target, output = output, ...)))))
  for (line in grep("^(Left out|Note): ", strsplit(told, "\n", fixed = TRUE)[[1]], value = TRUE)) message(line)
  output
}

#' Counts, means, quantiles and histograms of the columns, under one guarantee.
tacit_describe <- function(data, epsilon, delta = NULL, schema = NULL, ...)
  with_schema(schema, function(public)
    with_table(data, function(table)
      asked(c("describe", table, public, flags(list(epsilon = epsilon, delta = delta, ...)))), schema))

#' The promise as a page for people, written to `output`.
tacit_report <- function(model, output) {
  with_model(model, function(path) tacit_command(c("report", path, "--output", output)))
  invisible(output)
}

# The whole promise, as the command states it: with what finding the schema cost, and what it rests on.
promise <- function(summary) {
  cost <- summary$schema_cost$sentence
  c(summary$guarantee$sentence,
    if (isTRUE(summary$seeded)) "Not private: it was made with seeded bits, which anyone can repeat.",
    if (!is.null(summary$replaced)) paste("For a larger change the same release gives:", summary$replaced$sentence),
    if (!is.null(summary$group)) paste0("It is for the records of the group ", summary$group$column, "=", summary$group$value, " alone."),
    if (!is.null(cost)) paste0("The schema was found privately, too: ", cost, "."),
    if (length(summary$assumptions) > 0) paste0("Assumed: ", summary$assumptions, "."))
}

print.tacit <- function(x, ...) {
  cat("A model by the method ", x$summary$method, "\n", sep = "")
  cat(strwrap(promise(x$summary), exdent = 2), sep = "\n")
  invisible(x)
}

#' The parameters, as the model's file has them: those of the encoded columns, the intercept last.
coef.tacit <- function(object, ...) unlist(jsonlite::fromJSON(object$file)$parameters)

#' What each column adds to the score, drawn into the SVG file `output`.
plot.tacit <- function(x, output = tempfile("curves_", fileext = ".svg"), ...) {
  with_model(x, function(path) tacit_command(c("plot", path, "--output", output, flags(list(...)))))
  output
}
