// Replacements for functions of the runtime libraries that are not called here but reference large tables.
// `cross/build` searches for callers in the package's own modules and refuses to link if there is one.

/// In place of the names of all Unicode scalars (540 KB), which only Unicode.Scalar.Properties.name reads: no name.
long __wrap__swift_stdlib_getScalarName(unsigned scalar, unsigned char *buffer, long capacity) {
    (void)scalar, (void)buffer, (void)capacity;
    return 0;
}

/// In place of the demangler of C++ names (115 KB), which makes the message of an uncaught C++ exception readable:
/// not a valid name.
char *__wrap___cxa_demangle(const char *name, char *buffer, unsigned long *length, int *status) {
    (void)name, (void)buffer, (void)length;
    if (status) *status = -2;
    return 0;
}
