// Package demo holds the demonstration data of the local stack as the documents
// that "procession apply" takes. Its identifiers are fixed and its secrets public:
// it must never be applied to anything that is reachable from outside.
package demo

import "embed"

// Files are the documents, in files with the extension .yaml.
//
//go:embed *.yaml other/*.yaml
var Files embed.FS
