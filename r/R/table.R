# A data frame as a file that the tool reads. Each cell becomes a text by its own value and its column's class: no record
# changes how another is written.

# The nearest text that reads as the very same double.
number_text <- function(x) ifelse(is.na(x), "", ifelse(is.infinite(x), ifelse(x > 0, "inf", "-inf"), sprintf("%.17g", x)))

# How a column writes truth values: each as the one listed text that is its own in any letter case, by the schema alone;
# else as R does.
truth_text <- function(x, listed) {
  texts <- vapply(c("FALSE", "TRUE"), function(text) {
    same <- listed[toupper(listed) == text]
    if (length(same) == 1) same else text
  }, "")
  unname(texts[as.logical(x) + 1])
}

column_text <- function(x, name, listed = character()) {
  if (length(dim(x)) > 1)
    stop("the column ", name, " has the shape ", paste(dim(x), collapse = " x "), ", expected one value for each record",
         call. = FALSE)
  text <- if (inherits(x, "POSIXt")) format(x, "%Y-%m-%d %H:%M:%S")  # a format of one's own: R's drops a common midnight
    else if (inherits(x, "Date")) format(x, "%Y-%m-%d")
    else if (is.logical(x)) truth_text(x, listed)
    else if (is.factor(x) || is.character(x)) as.character(x)
    else if (is.numeric(x) && is.null(dim(x)) && !is.object(x)) number_text(as.double(x))
    else stop("the column ", name, " is ", class(x)[1], ", expected numbers, texts, factors, truth values or dates",
              call. = FALSE)
  ifelse(is.na(text), "", text)
}

# Each text by itself as the bytes of UTF-8, and as its own where it has no meaning (invalid, or marked as bytes), as a file
# would hold it: the tool says what it takes. R's functions on texts go by how all of them are marked, and refuse or write
# one otherwise for another's sake; on bytes they do not.
as_bytes <- function(text) {
  unmarked <- Encoding(text) == "unknown"
  unknown <- unmarked & is.na(iconv(text, "", "UTF-8"))
  text[!unknown] <- enc2utf8(text[!unknown])
  Encoding(text) <- "bytes"
  text
}

quoted <- function(text) paste0("\"", gsub("\"", "\"\"", as_bytes(text), fixed = TRUE, useBytes = TRUE), "\"")

# Writes the columns of `data` into a file that only its owner reads, and returns its path: the caller removes it. `listed`:
# the texts that a schema lists, by column.
write_table <- function(data, listed = list()) {
  if (!is.data.frame(data)) stop("the data is ", class(data)[1], ", expected a data frame", call. = FALSE)
  if (nrow(data) == 0) stop("the data frame has no rows", call. = FALSE)
  cells <- Map(function(x, name) {
    text <- column_text(x, name, listed[[name]])
    if (length(text) != nrow(data))
      stop("the column ", name, " has ", length(text), " values for ", nrow(data), " records", call. = FALSE)
    quoted(text)
  }, data, names(data))
  lines <- c(paste(quoted(names(data)), collapse = ","), do.call(paste, c(unname(cells), sep = ",")))
  path <- tempfile("tacit_", fileext = ".csv")
  before <- Sys.umask("077")
  on.exit(Sys.umask(before))
  file <- file(path, "wb")
  writeLines(lines, file, useBytes = TRUE)
  close(file)
  path
}

# Calls `use` with the arguments that name the records: a file of its own for a data frame, or the path that was given.
with_table <- function(data, use, schema = NULL) {
  if (is.character(data) && length(data) == 1) return(use(data))
  path <- write_table(data, listed_texts(schema))
  on.exit(unlink(path))
  tryCatch(use(c(path, "--header", "--separator", ",")), tacit_error = function(error) {
    error$message <- gsub(path, "data", error$message, fixed = TRUE)
    stop(error)
  })
}

# A schema is a file, or a list that is written into one.
with_schema <- function(schema, use) {
  if (is.null(schema)) return(use(character()))
  if (is.character(schema)) return(use(c("--schema", schema)))
  path <- tempfile("tacit_", fileext = ".json")
  on.exit(unlink(path))
  writeLines(jsonlite::toJSON(schema, auto_unbox = TRUE, digits = NA, null = "null"), path, useBytes = TRUE)
  use(c("--schema", path))
}

# A schema as a list, whether it is one or a file.
schema_list <- function(schema) {
  if (!is.character(schema)) return(schema)
  if (!file.exists(schema)) stop("the schema ", schema, " is not there", call. = FALSE)
  jsonlite::fromJSON(schema, simplifyVector = FALSE)
}

# The texts that a schema lists, by column: categories, and the target's classes.
listed_texts <- function(schema) {
  schema <- schema_list(schema)
  listed <- lapply(schema$columns, function(column) as.character(unlist(column$categories)))
  if (!is.null(schema$target$column)) listed[[schema$target$column]] <- as.character(unlist(schema$target$classes))
  listed
}

# The columns that a schema names, whether they are used or not.
schema_columns <- function(schema) {
  schema <- schema_list(schema)
  kinds <- vapply(schema$columns, function(column) as.character(column$type)[1], "")
  names(kinds)[!kinds %in% c("ignore", "user")]
}
