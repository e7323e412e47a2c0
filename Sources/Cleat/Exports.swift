// Typed keys, their values, and what errors show are part of this library's own interface.
@_exported public import CleatJSON
@_exported public import CleatSettings
