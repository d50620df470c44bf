# The R package as people use it. A claim that does not hold stops the script.
library(tacit)
`%holds%` <- function(name, claim) if (!isTRUE(claim)) stop("does not hold: ", name, call. = FALSE)
message_of <- function(expression) tryCatch({ expression; "no error" }, error = conditionMessage)

i <- 0:3999
people <- data.frame(age = (i * 37) %% 100, hours = (i * 61) %% 101, job = c("clerk", "smith, \"the\" elder")[1 + i %% 2])
people$income <- factor(ifelse(people$age + people$hours > 100, "high", "low"))
people$value <- 1000 * (people$age + people$hours)
schema <- list(columns = list(age = list(type = "numeric", min = 0, max = 100), hours = list(type = "numeric", min = 0, max = 100),
                              job = list(type = "categorical", categories = unique(people$job))),
               target = list(column = "income", classes = c("low", "high")))

# A classifier by a formula: it predicts, its promise is the one asked for and holds without the data.
model <- tacit_fit(income ~ age + hours + job, people, epsilon = 1, schema = schema)
"the guarantee is the one asked for" %holds% (abs(model$summary$guarantee$epsilon - 1) < 1e-6)
"a factor is predicted" %holds% identical(levels(predict(model, people[1:5, ])), c("low", "high"))
"most are predicted rightly" %holds% (mean(as.character(predict(model, people)) == people$income) > 0.9)
"probabilities add up" %holds% (max(abs(rowSums(predict(model, people, type = "all")[c("p_low", "p_high")]) - 1)) < 1e-9)
"it verifies" %holds% isTRUE(tacit_verify(model)$private)
"it prints its promise" %holds% any(grepl("epsilon = 1", capture.output(print(model))))
"it has parameters" %holds% is.numeric(coef(model))
"its curves are drawn" %holds% grepl("<svg", paste(readLines(plot(model)), collapse = ""))

# A model that went through a file is the same, byte for byte; an edited one is refused.
file <- tacit_save(model, tempfile(fileext = ".json"))
"a file keeps the model" %holds% identical(predict(tacit_load(file), people), predict(model, people))
"nothing is overwritten" %holds% grepl("force = TRUE", message_of(tacit_save(model, file)))
edited <- model
edited$file <- sub("(\"epsilon\": *)(0.99|1.0)", "\\10.49", model$file)
"the edit is one" %holds% !identical(edited$file, model$file)
refusal <- tryCatch(tacit_verify(edited), tacit_error = identity)
"an edited promise is refused with the tool's code" %holds% (inherits(refusal, "tacit_error") && refusal$code %in% c(1, 65))

# Part of a schema's columns; no intercept; numbers; options as flags.
part <- tacit_fit(income ~ age - 1, people, epsilon = 1, schema = schema, slope_limit = 2)
"columns that the formula leaves out are no features" %holds% !any(grepl("hours", jsonlite::fromJSON(part$file)$features$names))
"no intercept" %holds% identical(jsonlite::fromJSON(part$file)$intercept + 0, 0)
houses <- tacit_fit(value ~ age + hours, people, epsilon = 3, schema =
                      list(columns = schema$columns[c("age", "hours")], target = list(column = "value", min = 0, max = 200000)))
"numbers are predicted as numbers" %holds% (cor(predict(houses, people), people$value) > 0.9)
measured <- tacit_evaluate(houses, people)
"evaluate is not private and says so" %holds% (identical(measured$private, FALSE) && measured$rmse < measured$constant$rmse)
"with epsilon it is private" %holds% isTRUE(tacit_evaluate(houses, people, epsilon = 1)$private)

# Truth values are the categories that are their texts; cells that no category is are told, but not where it is private.
smokers <- data.frame(smoker = i %% 2 == 0, age = people$age)
smokers$sick <- ifelse(smokers$smoker, "true", "false")
lower <- list(columns = list(smoker = list(type = "categorical", categories = c("false", "true")),
                             age = list(type = "numeric", min = 0, max = 100)),
              target = list(column = "sick", classes = c("false", "true")))
sick <- tacit_fit(sick ~ smoker + age, smokers, epsilon = 5, schema = lower)
"truth values are categories" %holds% (mean(as.character(predict(sick, smokers)) == smokers$sick) > 0.95)
logical_target <- transform(smokers, sick = smoker)
"and classes" %holds% (tacit_evaluate(sick, logical_target)$accuracy > 0.95)
upper <- transform(smokers, smoker = ifelse(smoker, "TRUE", "FALSE"))
warned <- function(expression) tryCatch({ expression; "no warning" }, warning = conditionMessage)
"cells of no category are told" %holds% grepl("column \"smoker\": none of its 4000 cells", warned(predict(sick, upper)))
"and in an evaluation" %holds% grepl("column \"smoker\"", warned(tacit_evaluate(sick, upper)))
"not in a private one" %holds% !grepl("smoker", warned(tacit_evaluate(sick, upper, epsilon = 1)))

# A schema that is found privately, a description, the report.
left_out <- character()
withCallingHandlers(tacit_schema(transform(people[c("age", "income")], flat = 1), epsilon = 50, delta = 1e-6, target = "income"),
                    message = function(m) { left_out <<- c(left_out, conditionMessage(m)); invokeRestart("muffleMessage") })
"what a schema leaves out is told" %holds% any(grepl("^Left out: flat", left_out))
found <- tacit_schema(people[c("age", "hours", "income")], epsilon = 1, delta = 1e-6, target = "income")
"a private schema verifies" %holds% isTRUE(tacit_verify(found)$private)
costly <- tacit_fit(income ~ ., people[c("age", "hours", "income")], epsilon = 1, schema = found)
"the whole promise is printed" %holds% all(vapply(c("The schema was found privately, too", "Assumed: "), function(words)
  any(grepl(words, capture.output(print(costly)), fixed = TRUE)), TRUE))
"a fit takes it" %holds% inherits(tacit_fit(income ~ ., people[c("age", "hours", "income")], epsilon = 1, schema = found), "tacit")
described <- tacit_describe(people[c("age", "hours", "income")], epsilon = 1, schema =
                              list(columns = schema$columns[c("age", "hours")], target = schema$target))
"a description has counts" %holds% is.numeric(described$columns$age$mean$value)
"a report is a page" %holds% grepl("<html", paste(readLines(tacit_report(model, tempfile(fileext = ".html"))), collapse = ""))

# Each cell is written by its own value: one midnight, one missing cell, one large number change no other line.
lines_of <- function(data) { path <- tacit:::write_table(data); on.exit(unlink(path)); readLines(path) }
day <- as.POSIXct(c("2024-05-01 00:00:00", "2024-05-02 00:00:00"), tz = "UTC")
noon <- as.POSIXct(c("2024-05-01 00:00:00", "2024-05-02 12:30:00"), tz = "UTC")
"a time changes no other" %holds% identical(lines_of(data.frame(t = day))[2], lines_of(data.frame(t = noon))[2])
for (other in list(NA, 1e300, -Inf, 0.1 + 0.2, 5))
  "a number changes no other" %holds% identical(lines_of(data.frame(x = c(0.1, other)))[2], "\"0.10000000000000001\"")
"numbers keep every bit" %holds% identical(as.numeric(gsub("\"", "", lines_of(data.frame(x = c(pi, 1/3, 2^53)))[-1])), c(pi, 1/3, 2^53))

# So is a text, whatever encoding another is in: a byte that has no meaning stays what it is, and the tool says what it takes.
bytes_of <- function(data) { path <- tacit:::write_table(data); on.exit(unlink(path)); readBin(path, "raw", 1000) }
marked <- function(text, as) { Encoding(text) <- as; text }
latin <- marked("caf\xe9 \"x\"", "latin1")
for (other in c("plain", "caf\u00e9", "z\xff", marked("z\xff", "bytes"), marked("z\xff", "UTF-8"), latin, NA)) for (mark in c("unknown", "bytes")) {
  both <- c(latin, if (mark == "bytes" && !is.na(other)) marked(other, "bytes") else other)
  written <- bytes_of(data.frame(t = both, u = rev(both), stringsAsFactors = FALSE))
  lines <- split(written, cumsum(c(0, utils::head(written == as.raw(10), -1))))
  first <- c(charToRaw("\"caf"), as.raw(c(0xc3, 0xa9)), charToRaw(" \"\"x\"\"\""))
  "a text changes no other" %holds% identical(lines[[2]][seq_along(first)], first)
  if (!is.na(other) && grepl("^z", other, useBytes = TRUE))
    "bytes are written as they are" %holds% identical(lines[[3]][1:5], c(charToRaw("\"z"), as.raw(0xff), charToRaw("\",")))
}
bytes <- rep(c("a", "b"), 200)
bytes[17] <- "z\xff"
odd <- tryCatch(tacit_fit(y ~ t, data.frame(t = bytes, y = rep(c("no", "yes"), each = 200), stringsAsFactors = FALSE), epsilon = 1,
                          schema = list(columns = list(t = list(type = "categorical", categories = c("a", "b"))),
                                        target = list(column = "y", classes = c("no", "yes")))), error = identity, warning = identity)
"what is no text is for the tool to judge" %holds% !inherits(odd, "simpleError")

# A record is one line: a matrix as a column would make two of each.
flags <- data.frame(y = rep(c("no", "yes"), 2))
wide <- function(column) { flags$x <- column; message_of(tacit:::write_table(flags)) }
for (column in list(matrix(TRUE, 4, 2), matrix("a", 4, 2), I(matrix("a", 4, 2)), I(matrix(1, 4, 2)), matrix(1, 4, 1), data.frame(a = 1:4, b = 1:4),
                    structure(factor(rep("a", 8)), dim = c(4, 2)), structure(as.POSIXct("2024-05-01", tz = "UTC") + 1:8, dim = c(4, 2))))
  "a matrix is no column" %holds% grepl("^the column x has the shape 4 x [12], expected one value for each record", wide(column))
short <- flags
attr(short, "row.names") <- 1:5
"a column of another length" %holds% grepl("^the column y has 4 values for 5 records", message_of(tacit:::write_table(short)))
"records leave no file behind" %holds% (length(list.files(tempdir(), pattern = "^tacit_.*\\.csv$")) == 0)

# Mistakes are named, with the remedy.
"an unstated privacy" %holds% grepl("epsilon = 1", message_of(tacit_fit(income ~ age, people)))
"a term that is no column" %holds% grepl("log\\(age\\)", message_of(tacit_fit(income ~ log(age), people, epsilon = 1)))
"a pair" %holds% grepl("age:hours", message_of(tacit_fit(income ~ age:hours, people, epsilon = 1)))
"an unknown column" %holds% grepl("weight", message_of(tacit_fit(income ~ weight, people, epsilon = 1)))
"no target" %holds% grepl("before ~", message_of(tacit_fit(~age, people, epsilon = 1)))
"a list column" %holds% grepl("expected numbers", message_of(tacit_fit(y ~ x, data.frame(x = I(list(1)), y = 1), epsilon = 1)))
"a flag that the tool does not know" %holds% grepl("wrong", message_of(tacit_fit(income ~ age, people, epsilon = 1, schema = schema, wrong = 1)))
bad <- data.frame(age = c("a", rep("1", 3999)), income = people$income)
"a bad cell is named without the temporary file" %holds%
  grepl("^data:2", message_of(tacit_fit(income ~ age, bad, epsilon = 1, schema = list(columns = schema$columns["age"], target = schema$target))))
options(tacit.command = "no-such-tacit")
"a missing tool" %holds% grepl("no-such-tacit.*install tacit", message_of(tacit_verify(model)))
cat("R: all claims hold\n")
