// Package codegen generates source code for workers from resources: types for the data of tasks and artifacts, and
// constants for codes. A worker that uses them fails to compile, or to pass a type checker, after a member or a code was
// renamed.
//
// Types follow the JSON Schemas. Constraints without an equivalent, such as oneOf, become a value of any type.
package codegen
