# What a formula says: the target, the columns, whether there is an intercept.
parts <- function(formula, data) {
  terms <- stats::terms(formula, data = data)
  columns <- attr(terms, "term.labels")
  unquoted <- sub("^`(.*)`$", "\\1", columns)
  target <- all.vars(formula)[1]
  if (attr(terms, "response") != 1 || !identical(formula[[2]], as.name(target)))
    stop("the formula ", deparse1(formula), " has no column before ~; expected target ~ a + b, or target ~ .", call. = FALSE)
  unknown <- setdiff(c(target, unquoted), names(data))
  if (length(unknown) > 0 || !is.null(attr(terms, "offset")))
    stop("the formula has the term ", c(unknown, "offset")[1],
         ", expected names of columns alone: make a column of it first, or a pair in the schema", call. = FALSE)
  list(target = target, columns = unquoted, intercept = attr(terms, "intercept") == 1)
}

#' A model of `target ~ a + b` under differential privacy. `...` are the flags of `tacit fit`, with _ for -.
tacit_fit <- function(formula, data, epsilon = NULL, delta = NULL, mu = NULL, schema = NULL, user = NULL, ...) {
  said <- parts(formula, data)
  if (is.null(epsilon) && is.null(mu)) stop("no privacy is stated; expected epsilon = 1, or another number", call. = FALSE)
  path <- tempfile("tacit_", fileext = ".json")
  on.exit(unlink(path))
  features <- setdiff(said$columns, user)
  unused <- setdiff(schema_columns(schema), c(features, user, said$target))
  arguments <- c("--target", said$target, "--model", path,
                 flags(list(epsilon = epsilon, delta = delta, mu = mu, user = user, no_intercept = !said$intercept,
                            exclude = if (length(unused) > 0) unused, ...)))
  columns <- unique(c(features, user, said$target))
  summary <- with_schema(schema, function(public)
    with_table(data[columns], function(table) asked(c("fit", table, public, arguments)), schema))
  structure(class = "tacit", list(file = read_text(path), summary = summary, formula = formula))
}

read_text <- function(path) paste(readLines(path, warn = FALSE, encoding = "UTF-8"), collapse = "\n")

# Calls `use` with the path of a file that holds the model.
with_model <- function(model, use) {
  if (is.character(model)) return(use(model))
  if (!inherits(model, "tacit")) stop("the model is ", class(model)[1], ", expected what tacit_fit returns, or a file", call. = FALSE)
  path <- tempfile("tacit_", fileext = ".json")
  on.exit(unlink(path))
  tacit_save(model, path)
  use(path)
}

# What is public of a model's columns.
model_schema <- function(model) jsonlite::fromJSON(if (is.character(model)) model else model$file, simplifyVector = FALSE)$schema

#' Writes the model's file, for `tacit verify` and others. What is there is kept unless `force`.
tacit_save <- function(model, file, force = FALSE) {
  if (file.exists(file) && !force) stop(file, " exists; say force = TRUE to write over it", call. = FALSE)
  written <- file(file, "wb")
  on.exit(close(written))
  writeLines(model$file, written, useBytes = TRUE)
  invisible(file)
}

#' A model from its file, once it has been verified.
tacit_load <- function(file) structure(class = "tacit", list(summary = asked(c("verify", file)), file = read_text(file)))

#' Checks the guarantee again without the data: an error if it does not hold. `key` is the signer's public key.
tacit_verify <- function(model, key = NULL) with_model(model, function(path) asked(c("verify", path, flags(list(key = key)))))
