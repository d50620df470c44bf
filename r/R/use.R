#' What the model says of new records: the predictions, or with type = "all" the probabilities or scores beside them.
predict.tacit <- function(object, newdata, type = c("response", "all"), ...) {
  type <- match.arg(type)
  path <- tempfile("tacit_", fileext = ".csv")
  on.exit(unlink(path))
  with_model(object, function(model)
    with_table(newdata, function(table) tacit_command(c("predict", model, table, "--output", path, flags(list(...))))))
  table <- utils::read.csv(path, check.names = FALSE, na.strings = character(), colClasses = c(prediction = "character"))
  classes <- jsonlite::fromJSON(object$file)$target$classes
  table$prediction <- if (length(classes) == 0) as.numeric(table$prediction) else factor(table$prediction, levels = classes)
  if (type == "all") table else table$prediction
}

#' How good a model is on labelled records. Private only with `epsilon`.
tacit_evaluate <- function(model, data, epsilon = NULL, delta = NULL, ...)
  with_model(model, function(path)
    with_table(data, function(table)
      asked(c("evaluate", path, table, flags(list(epsilon = epsilon, delta = delta, ...))))))

#' A schema that was found privately, written to `output`; its path is returned, for `schema =`.
tacit_schema <- function(data, epsilon, delta = NULL, target = NULL, output = tempfile("schema_", fileext = ".json"), ...) {
  with_table(data, function(table)
    tacit_command(c("schema", table, flags(list(epsilon = epsilon, delta = delta, target = target, output = output, ...)))))
  output
}

#' Counts, means, quantiles and histograms of the columns, under one guarantee.
tacit_describe <- function(data, epsilon, delta = NULL, schema = NULL, ...)
  with_schema(schema, function(public)
    with_table(data, function(table)
      asked(c("describe", table, public, flags(list(epsilon = epsilon, delta = delta, ...))))))

#' The promise as a page for people, written to `output`.
tacit_report <- function(model, output) {
  with_model(model, function(path) tacit_command(c("report", path, "--output", output)))
  invisible(output)
}

print.tacit <- function(x, ...) {
  cat("A model by the method ", x$summary$method, "\n", sep = "")
  cat(strwrap(x$summary$guarantee$sentence, exdent = 2), sep = "\n")
  invisible(x)
}

#' The parameters, as the model's file has them: those of the encoded columns, the intercept last.
coef.tacit <- function(object, ...) unlist(jsonlite::fromJSON(object$file)$parameters)

#' What each column adds to the score, drawn into the SVG file `output`.
plot.tacit <- function(x, output = tempfile("curves_", fileext = ".svg"), ...) {
  with_model(x, function(path) tacit_command(c("plot", path, "--output", output, flags(list(...)))))
  output
}
