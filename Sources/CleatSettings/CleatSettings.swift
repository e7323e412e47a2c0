// The module's sources stand in this folder.
