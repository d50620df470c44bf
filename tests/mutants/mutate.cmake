# cmake -DMUTANT=… -DSOURCES=… -DOUTPUT=… -P mutate.cmake: writes a source file or a header with a fault put back. The mutant
# names the file (`source`), the text that is right and occurs once (`right`), and the fault (`wrong`). When the text is
# not there any more, the fault has to be put into the new code: a mutant that does not apply is an error.
include(${MUTANT})
file(READ ${SOURCES}/${source} text)
string(FIND "${text}" "${right}" first)
string(FIND "${text}" "${right}" last REVERSE)
if(first EQUAL -1 OR NOT first EQUAL last)
  message(FATAL_ERROR "${MUTANT}: its text is not in ${source}, or not once: put the fault into the code as it is now")
endif()
string(REPLACE "${right}" "${wrong}" text "${text}")
file(WRITE ${OUTPUT} "${text}")
