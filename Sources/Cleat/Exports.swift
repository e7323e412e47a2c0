// Typed keys, their values, and the types in errors are part of this library's own interface.
@_exported public import CleatJSON
@_exported public import CleatSettings
