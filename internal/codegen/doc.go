// Package codegen writes source code for workers from the resources that they work on: types for the data of tasks,
// messages and artifacts, and constants for codes. A worker that is compiled or checked with them fails to build when a
// member or a code is renamed.
//
// Types follow the JSON Schemas as far as a type can. What it cannot express, such as oneOf, is a value of any kind.
package codegen
