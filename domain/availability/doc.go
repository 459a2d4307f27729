// Package availability parses and evaluates the expressions that decide when a
// user action can be used: boolean jq expressions written as ${ ... }, over the state
// of a process and of its tasks (specification sections 2.12 and 2.13).
//
// Administrators write them, the service runs them whenever a caller reads a
// process, and neither a deadline nor a memory limit applies within jq's built-in
// functions. Therefore Parse accepts only constructs with a known cost, adds the
// costs up, and refuses an expression that may take too many steps. To know the
// cost it determines the type of every part: how many values there are, how many
// elements an array has, how long a text is. The types also reveal mistakes: a
// field or a state that does not exist, a result that is never true or false.
//
// docs/process-definitions.md lists the constructs and functions. The variable
// functions is the table of the functions: the types of input and arguments, the
// type of the result, and the cost. A function that is not in the table is refused
// with its place in the text.
//
// # Times
//
// Times are texts such as 2026-01-31T08:00:00.250000Z, always in UTC and to the
// microsecond, so that comparing them as texts compares the times. A text of RFC
// 3339 that is compared with a time gets the same form, whatever its offset and
// however many digits it has. As everywhere in jq null is less than any text: an
// expression has to test a task that may not exist for null before it compares
// its times.
//
// # Steps
//
// A step is an instruction or a few of them. The tests repeat every function as
// often as the limit of steps allows, and require that this takes less than ten
// milliseconds and eight megabytes.
package availability
