// Messages on standard error, which init sends to the console or the journal.

#pragma once

// Writes a line.
__attribute__((format(printf, 1, 2))) void note(const char *format, ...);
