"""The Debian package and the tarball of the programs for boards."""
