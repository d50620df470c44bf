# The one way to the tool: its arguments in, what it prints out, its refusals as R's errors.

# Where the command is: the option tacit.command, else the variable TACIT, else the path.
tool <- function() {
  named <- getOption("tacit.command", Sys.getenv("TACIT", unset = "tacit"))
  found <- Sys.which(named)
  if (!nzchar(found))
    stop("the command ", sQuote(named), " is not found: install tacit, or say options(tacit.command = \"/path/to/tacit\")",
         call. = FALSE)
  unname(found)
}

# list(row_bound = 2, no_intercept = TRUE) as c("--row-bound", "2", "--no-intercept"). Each value is one text or number;
# NULL and FALSE leave the flag out. Numbers keep every bit.
flags <- function(options) {
  if (length(options) > 0 && (is.null(names(options)) || any(!nzchar(names(options)))))
    stop("an option has no name; expected name = value, as in epsilon = 1", call. = FALSE)
  one <- function(name, value) {
    flag <- paste0("--", gsub("_", "-", name, fixed = TRUE))
    if (is.null(value) || identical(value, FALSE)) return(character())
    if (identical(value, TRUE)) return(flag)
    if (!(is.numeric(value) || is.character(value)) || anyNA(value) || length(value) == 0)
      stop("the option ", name, " is ", class(value)[1], ", expected a number, a text, TRUE or FALSE", call. = FALSE)
    as.vector(rbind(flag, if (is.numeric(value)) number_text(value) else value))
  }
  unlist(Map(one, names(options), options), use.names = FALSE)
}

#' Runs the command `tacit` and returns what it prints; a failure is an error of class "tacit_error" with its exit `code`.
tacit_command <- function(arguments) {
  standard_error <- tempfile("tacit_")
  on.exit(unlink(standard_error))
  printed <- suppressWarnings(system2(tool(), shQuote(arguments), stdout = TRUE, stderr = standard_error))
  code <- attr(printed, "status")
  said <- readLines(standard_error, warn = FALSE)
  if (!is.null(code) && code != 0) {
    message <- sub("^tacit: ", "", paste(said, collapse = "\n"))
    stop(structure(class = c("tacit_error", "error", "condition"), list(message = message, call = NULL, code = code)))
  }
  for (line in grep("^Warning: ", said, value = TRUE)) warning(sub("^Warning: ", "", line), call. = FALSE)
  paste(printed, collapse = "\n")
}

# The same with --json, as a list. Warnings that are listed there become R's.
asked <- function(arguments) {
  answer <- jsonlite::fromJSON(tacit_command(c(arguments, "--json")), simplifyVector = TRUE, simplifyDataFrame = FALSE)
  for (text in answer$warnings) warning(text, call. = FALSE)
  answer
}
